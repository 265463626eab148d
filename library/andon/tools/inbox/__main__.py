"""`make inbox`: all that the running system sent to people, as they would read it; then what comes, as it comes."""

import os
import re
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.console import Console
from rich.text import Text

from andon.tools.called import as_called
from andon.tools.inbox import sent
from andon.tools.inbox.sent import SentMessage
from andon.tools.stack import demo, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack

# Messages as they are printed. Pure.

_INDENT: Final = " " * 10
LINK: Final = re.compile(r"https?://\S+")
NOTHING: Final = "Nothing was sent yet. What is sent from now on is shown as it comes."
_UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"


def heading(messages: Sequence[SentMessage], *, url: str, shown: int) -> Text:
    """Return the first line: how many messages were sent, and of how many the text follows."""
    left_out = f", the newest {shown} of them here (more: N={len(messages)})" if shown < len(messages) else ""
    return Text(f"{url} · sent: {len(messages)}{left_out} · times are UTC", style="bold")


def message(one: SentMessage) -> Text:
    """Return a message. A link begins its line, so that it can be taken as it is."""
    at = datetime.fromtimestamp(one.at_ms / 1000, UTC)
    shown = Text(f"\n{at:%H:%M:%S}  ").append(f"{one.channel:8}", style="bold cyan").append(_clean(one.to), style="dim")
    if one.subject:
        shown.append(f"\n{_INDENT}").append(_clean(one.subject), style="bold")
    for line in filter(None, one.text.split("\n")):
        is_link = LINK.fullmatch(line) is not None
        shown.append(f"\n{'' if is_link else _INDENT}").append(_clean(line), style="blue underline" if is_link else "")
    return shown


def _clean(text: str) -> str:
    """Return a text without what a terminal would obey."""
    return "".join(character if character.isprintable() else _UNPRINTABLE for character in text)


EVERY_S: Final = 1.0
MOST: Final = 20
"""So many messages are shown at first, the newest ones; another number: N=100."""


def most_of(variable: str | None) -> int:
    """Return the number of messages that are shown at first.

    Raises:
        ToolFailed: the variable is no number above 0.

    """
    if not variable:
        return MOST
    if not variable.isdecimal() or int(variable) == 0:
        raise ToolFailed(f"N is a number of messages, 1 or more, not {variable!r}")
    return int(variable)


def _print_newest(console: Console, deployed: dict[str, str], *, most: int) -> list[SentMessage]:
    """Print the newest messages, or how to have some sent; return all."""
    messages = sent.read(deployed["Endpoint"])
    newest = messages[-most:]
    console.print(heading(messages, url=deployed["ApiUrl"], shown=len(newest)), soft_wrap=True)
    if not messages:
        console.print(NOTHING)
        if shown := demo.find():
            console.print(shown.how_to_be_told(Stack(deployed)), highlight=False, markup=False, soft_wrap=True)
    _print(console, newest)
    return messages


def follow(console: Console, deployed: dict[str, str], *, known: set[SentMessage]) -> None:
    """Print what comes, until a person ends it."""
    while True:
        time.sleep(EVERY_S)
        new = [one for one in sent.read(deployed["Endpoint"]) if one not in known]
        known.update(new)
        _print(console, new)


def _print(console: Console, messages: list[SentMessage]) -> None:
    for one in messages:
        console.print(message(one), soft_wrap=True)  # a link is one line, however long


def main() -> int:
    """Show what the running stack sent, until Ctrl-C; with `ONCE=1`, or without a terminal, what there is."""
    console = Console(highlight=False)
    try:
        deployed, most = outputs.of_running_stack(), most_of(os.environ.get("N"))
        messages = _print_newest(console, deployed, most=most)
        if console.is_terminal and not os.environ.get("ONCE"):
            follow(console, deployed, known={*messages})
    except (ToolFailed, OSError) as reason:
        print(f"{as_called('inbox')}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass  # as good as an end
    return 0


if __name__ == "__main__":
    sys.exit(main())

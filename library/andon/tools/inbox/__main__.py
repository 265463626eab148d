"""`make inbox`: all that the running system sent to people, as they would read it; then what comes, as it comes."""

import os
import sys
import time
from typing import Final

from rich.console import Console

from andon.tools.called import as_called
from andon.tools.inbox import reading, screen
from andon.tools.inbox.sent import SentMessage
from andon.tools.stack import demo, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack

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


def print_newest(console: Console, deployed: dict[str, str], *, most: int) -> list[SentMessage]:
    """Print the newest messages, or how to have some sent; return all."""
    messages = reading.read(deployed["Endpoint"])
    newest = messages[-most:]
    console.print(screen.heading(messages, url=deployed["ApiUrl"], shown=len(newest)), soft_wrap=True)
    if not messages:
        console.print(screen.NOTHING)
        if shown := demo.find():
            console.print(shown.how_to_be_told(Stack(deployed)), highlight=False, markup=False, soft_wrap=True)
    _print(console, newest)
    return messages


def follow(console: Console, deployed: dict[str, str], *, known: set[SentMessage]) -> None:
    """Print what comes, until a person ends it."""
    while True:
        time.sleep(EVERY_S)
        new = [one for one in reading.read(deployed["Endpoint"]) if one not in known]
        known.update(new)
        _print(console, new)


def _print(console: Console, messages: list[SentMessage]) -> None:
    for one in messages:
        console.print(screen.message(one), soft_wrap=True)  # a link is one line, however long


def main() -> int:
    """Show what the running stack sent, until Ctrl-C; with `ONCE=1`, or without a terminal, what there is."""
    console = Console(highlight=False)
    try:
        deployed, most = outputs.of_running_stack(), most_of(os.environ.get("N"))
        messages = print_newest(console, deployed, most=most)
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

"""Messages as they are printed. Pure."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from andon.tools.inbox.sent import SentMessage

INDENT: Final = " " * 10
LINK: Final = re.compile(r"https?://\S+")
NOTHING: Final = "Nothing was sent yet. What is sent from now on is shown as it comes."
UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"


def heading(messages: Sequence[SentMessage], *, url: str, shown: int) -> Text:
    """Return the first line: how many messages were sent, and of how many the text follows."""
    left_out = f", the newest {shown} of them here (more: N={len(messages)})" if shown < len(messages) else ""
    return Text(f"{url} · sent: {len(messages)}{left_out} · times are UTC", style="bold")


def message(one: SentMessage) -> Text:
    """Return a message. A link begins its line, so that it can be taken as it is."""
    at = datetime.fromtimestamp(one.at_ms / 1000, UTC)
    shown = Text(f"\n{at:%H:%M:%S}  ").append(f"{one.channel:8}", style="bold cyan").append(_clean(one.to), style="dim")
    if one.subject:
        shown.append(f"\n{INDENT}").append(_clean(one.subject), style="bold")
    for line in filter(None, one.text.split("\n")):
        is_link = LINK.fullmatch(line) is not None
        shown.append(f"\n{'' if is_link else INDENT}").append(_clean(line), style="blue underline" if is_link else "")
    return shown


def _clean(text: str) -> str:
    """Return a text without what a terminal would obey."""
    return "".join(character if character.isprintable() else UNPRINTABLE for character in text)

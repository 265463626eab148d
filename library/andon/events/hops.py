"""Hops: the number of events before an event, each caused by the one before.

A row that is written because of an event has the attribute `hops`: one more than the event. The trigger puts it into
the tags of the event that it publishes of the row. What people do has none. So a loop that no check at synth could see
ends at the listener that is asked for one hop too many: it makes a fault of the event, and writes nothing.
"""

from collections.abc import Mapping
from typing import Any, Final

from andon.events.domain_event import DomainEvent
from andon.runtime.errors import Poison
from andon.runtime.strict_json import is_whole

HOPS: Final = "hops"
"""The attribute of a row (a number), and the tag of an event (text, as all tags are)."""

MAX_HOPS: Final = 8


def hops_of(event: DomainEvent) -> int:
    """Return the number of hops before an event; an unreadable one is 0."""
    hops = event.tags.get(HOPS)
    # Nobody writes more than two digits; more would make a number that no table takes.
    return int(hops) if isinstance(hops, str) and len(hops) <= len("99") and hops.isascii() and hops.isdigit() else 0


def hops_after(*events: DomainEvent) -> int:
    """Return the hops of a row that is written because of these events."""
    return 1 + max(map(hops_of, events), default=0)


def tag_of(hops: Any) -> Mapping[str, str]:  # noqa: ANN401  others may have written anything there
    """Return the tag for the `hops` of a row; without them there is none."""
    return {HOPS: str(hops)} if is_whole(hops) and hops > 0 else {}


def require_few(event: DomainEvent) -> None:
    """Check that an event is not one of a chain without end.

    Raises:
        Poison: more than `MAX_HOPS` events came before it.

    """
    if hops_of(event) > MAX_HOPS:
        raise Poison(f"more than {MAX_HOPS} events came before it, each because of another: they go round")

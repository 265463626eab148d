"""A listener's write of one event: a row that writes itself."""

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

from andon.dynamodb.client import Table
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.views.outcome import Outcome


class RowWrite(Protocol):
    """A write of one row: some fields of it under an oplock (`ViewUpdate`), or the event itself (`Collected`)."""

    @property
    def target(self) -> Hashable:
        """The row, or a part of it: of several writes with the same target, the newest alone is enough."""

    @property
    def about_ms(self) -> int | None:
        """The time that orders writes of one target before the event's own; None: the event's alone does."""

    @property
    def origin(self) -> str:
        """The service of its event, if two of them write its target; it breaks ties before the event's id does."""

    def write(
        self, table: Table, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write the row. `ttl_days`: how long the view keeps its rows, from the event's time; None: for ever.

        replay: the event comes again from the lake, to bring something back or to rebuild the view.

        Raises:
            Poison: it can never be written.

        """


Subscriptions = Mapping[tuple[str, str], Callable[[DomainEvent], RowWrite]]
"""`(source, type)` -> the write of such an event."""

"""A listener's write of one event: a row that writes itself."""

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.schema import Keys
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


# Store of a view's rows: a table of DynamoDB, or objects in S3.


class RowStore(Protocol):
    """The calls by which a view's rows are read and written, see `andon.dynamodb.client.Table`."""

    @property
    def keys(self) -> Keys:
        """The primary key of its rows."""

    def get(self, key: Attributes, *, consistent: bool = False) -> Item | None:
        """Return one row, None if there is none."""

    def delete(self, key: Attributes, *, condition: Condition = UNCONDITIONAL) -> None:
        """Delete one row, if there is one; `ConditionFailed` if its condition does not hold."""

    def update(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row; `ConditionFailed` if its condition does not hold."""

    def update_and_return(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> Item:
        """Apply `update`; return the row after it."""

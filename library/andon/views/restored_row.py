"""A row that a service owned and that expired -> the row again, as its image in an event has it.

It comes back latched: the trigger that publishes changes of the table is silent about it, for they were published when
they happened. A command that changes the row writes it without the latch.
"""

from collections.abc import Hashable
from typing import NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Keys
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.latch import LATCHED
from andon.views.outcome import Outcome

_ABSENT_OR_EXPIRED = "attribute_not_exists(#key) OR #ttl <= :now"
_SHORTER = "#ttl > :now AND #ttl < :ttl"


class RestoredRow(NamedTuple):
    """A write of a row that comes back, if it is not there. One that is there stays as it is, and lives as long.

    row: as it was, its primary key included; None: there never was one. expires_at: until then (epoch seconds) it is
    there by itself, so that nothing comes back.
    """

    keys: Keys
    row: Attributes | None
    expires_at: int | None = None

    @property
    def target(self) -> Hashable:
        """The row; of those that were never there any is as good."""
        return tuple(self.row[name] for name in self.keys.names) if self.row else None

    @property
    def about_ms(self) -> None:
        """None: the events about one row all have the same image of it."""

    @property
    def origin(self) -> str:
        """Empty: one service owns the row."""
        return ""

    def write(
        self,
        table: Table,
        event: DomainEvent,  # noqa: ARG002  the image says all
        *,
        ttl_days: int | None,  # noqa: ARG002  it lives until `until`
        now_ms: int,
        replay: Replay | None = None,
    ) -> Outcome:
        """Put the row with a ttl of its own."""
        if self.row is None:
            return Outcome.STALE
        until = None if replay is None else replay.until
        if until is None or ttl.is_expired(until, now_ms):
            return Outcome.EXPIRED
        if self.expires_at is not None and not ttl.is_expired(self.expires_at, now_ms):
            return Outcome.DUPLICATE
        back = {**self.row, ttl.ATTRIBUTE: until, LATCHED: True}
        names = {"key": self.keys.partition, "ttl": ttl.ATTRIBUTE}
        try:
            table.put(back, condition=Condition(_ABSENT_OR_EXPIRED, names, {"now": now_ms // 1000}))
        except ConditionFailed as failed:
            return self._outlive(table, failed.row, until, now_ms // 1000)
        return Outcome.APPLIED

    def _outlive(self, table: Table, found: Item | None, until: int, now: int) -> Outcome:
        if (found or {}).get(ttl.ATTRIBUTE, until) >= until or self.row is None:
            return Outcome.DUPLICATE
        key = {name: self.row[name] for name in self.keys.names}
        longer = Condition(_SHORTER, {"ttl": ttl.ATTRIBUTE}, {"now": now, "ttl": until})
        # If the condition fails, the row has just expired or was written: the message comes again.
        table.update(key, assign={ttl.ATTRIBUTE: until}, condition=longer)
        return Outcome.APPLIED

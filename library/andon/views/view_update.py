"""The update of a view by one event: fields of a row, under an oplock."""

from collections.abc import Callable, Mapping

from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.views.inverse_oplock import put_if_newer, rebuild, rehydrate
from andon.views.oplocked_fields import OplockedFields
from andon.views.outcome import Outcome
from andon.views.row_write import RowStore


class ViewUpdate(OplockedFields):
    """A write of one row, under one oplock."""

    __slots__ = ()

    def write(
        self, table: RowStore, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write the fields unless the row has seen something at least as new under the same oplock."""
        if replay is not None and replay.until is None:
            return rebuild(table, self, event, ttl_days=ttl_days, now_ms=now_ms)
        if replay is not None and replay.until is not None and ttl_days is not None:
            return rehydrate(table, self, event, until=replay.until, now_ms=now_ms)
        return put_if_newer(table, self, event, ttl_days=ttl_days, now_ms=now_ms)


On = Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]
"""`(source, type)` -> the update of a view."""

"""What a view keeps of one event: fields of a row, under an oplock."""

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from andon.dynamodb.client import Table
from andon.events.bus_entry import Replay
from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent
from andon.runtime.errors import Poison
from andon.views.inverse_oplock import put_if_newer, rebuild, rehydrate
from andon.views.oplock_family import OplockFamily
from andon.views.outcome import Outcome

# No `#`, which ends it in an order, and no character that sorts before that.
_ORIGIN = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)


class Anchor(NamedTuple):
    """The oplock without which a row of slow data is a skeleton: it expires `skeleton_days` after its last write."""

    oplock: str
    skeleton_days: int


@dataclass(slots=True, kw_only=True)  # not frozen: that costs a microsecond for each event
class ViewUpdate:
    """A write of one row, under one oplock; nothing changes it.

    key: the row's primary key, all text.
    key_fields: what derives from the key; every type writes it, so that indexes see the row whichever event came first.
    fields: the whole set that `oplock` guards; `None` removes the attribute. Sets under different oplocks are disjoint.
    about_ms: if given, what is about the later time is newer, whenever it was said; epoch milliseconds.
    origin: the service of the event, if versions of it both write the fields; each of them must say so, see `Edit`.
    family: the bounded family that the oplock belongs to. anchor: only for views without a ttl of their own.
    """

    key: Mapping[str, Any]
    fields: Mapping[str, Any]
    oplock: str
    key_fields: Mapping[str, Any] = field(default_factory=dict)
    about_ms: int | None = None
    origin: str = ""
    family: OplockFamily | None = None
    anchor: Anchor | None = None

    def __post_init__(self) -> None:
        for name, value in self.key.items():
            if not isinstance(value, str) or not value:
                raise Poison(f"key attribute {name} must be text")
        if self.about_ms is not None and not 0 <= self.about_ms <= MAX_TIMESTAMP_MS:
            raise Poison("what it is about has no time that sorts")
        if self.origin and not _ORIGIN.fullmatch(self.origin):
            raise ValueError(f"{self.origin!r} is no name of a service that sorts within an order")

    @property
    def target(self) -> Hashable:
        """The row and the oplock: never the row alone, or one oplock's update would replace another's."""
        return (self.oplock, *sorted(self.key.items()))

    def write(
        self, table: Table, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write the fields unless the row has seen something at least as new under the same oplock."""
        if replay is not None and replay.until is None:
            return rebuild(table, self, event, ttl_days=ttl_days, now_ms=now_ms)
        if replay is not None and replay.until is not None and ttl_days is not None:
            return rehydrate(table, self, event, until=replay.until, now_ms=now_ms)
        return put_if_newer(table, self, event, ttl_days=ttl_days, now_ms=now_ms)


On = Mapping[tuple[str, str], Callable[[DomainEvent], ViewUpdate]]
"""`(source, type)` -> what a view keeps of it."""

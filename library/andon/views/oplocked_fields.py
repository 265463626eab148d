"""Fields of a row that one oplock guards, as an event has them."""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.keys import MAX_PARTITION_KEY_BYTES
from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.runtime.errors import Poison
from andon.views.oplock_family import OplockFamily

# No `#`, which ends it in an order, and no character that sorts before that.
_ORIGIN = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)


class Anchor(NamedTuple):
    """The oplock without which a row of slow data is a skeleton: it expires `skeleton_days` after its last write."""

    oplock: str
    skeleton_days: int


@dataclass(slots=True, kw_only=True)  # not frozen: that costs a microsecond for each event
class OplockedFields:
    """Fields of one row, under one oplock; nothing changes them.

    key: the row's primary key, all text.
    key_fields: what derives from the key; every type writes it, so that indexes see the row whichever event came first.
    fields: the whole set that `oplock` guards; `None` removes the attribute. Sets under different oplocks are disjoint.
    about_ms: if given, what is about the later time is newer, whenever it was said; epoch milliseconds.
    origin: the service of the event, if versions of it both write the fields; each of them must say so, see `Edit`.
    family: the bounded family that the oplock belongs to. anchor: only for views without a ttl of their own.
    """

    key: Attributes
    fields: Attributes
    oplock: str
    key_fields: Attributes = field(default_factory=dict)
    about_ms: int | None = None
    origin: str = ""
    family: OplockFamily | None = None
    anchor: Anchor | None = None

    def __post_init__(self) -> None:
        for name, value in self.key.items():
            if not isinstance(value, str) or not 1 <= len(value.encode()) <= MAX_PARTITION_KEY_BYTES:
                raise Poison(f"key attribute {name} must be text of 1 to {MAX_PARTITION_KEY_BYTES} bytes")
        if self.about_ms is not None and not 0 <= self.about_ms <= MAX_TIMESTAMP_MS:
            raise Poison("what it is about has no time that sorts")
        if self.origin and not _ORIGIN.fullmatch(self.origin):
            raise ValueError(f"{self.origin!r} is no name of a service that sorts within an order")

    @property
    def target(self) -> Hashable:
        """The row and the oplock: never the row alone, or one oplock's update would replace another's."""
        return (self.oplock, *sorted(self.key.items()))

"""Fields of a row that one oplock guards, as an event has them, and the store of such rows."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.keys import MAX_PARTITION_KEY_BYTES
from andon.dynamodb.schema import Keys
from andon.events.domain_event import MAX_TIMESTAMP_MS, UNTOLD
from andon.runtime.errors import Poison
from andon.runtime.strict_json import is_whole

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


# A bounded family of oplocks: one for each name that somebody else chooses, of which the newest are kept.
#
# A name that comes from outside, as a state's, may be any of very many, and a row has 400 KB. Whatever the order of
# arrival, the rows are the same: the newest of a union are the newest among the newest of its parts.

OPLOCK: Final = "oplock#"

ATTEMPTS: Final = 5
# An expression has at most 4 KB. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
AT_ONCE: Final = 50


class OplockFamily(NamedTuple):
    """The oplocks with names that begin with `prefix`; each guards the attribute of its own name.

    most: so many are kept, the newest. always: the names of those that are kept besides, however old.
    """

    prefix: str
    most: int
    always: frozenset[str] = frozenset()

    def surplus(self, row: Attributes) -> dict[str, str]:
        """Return the members beyond `most`, the oldest first: name -> order."""
        begin = f"{OPLOCK}{self.prefix}"
        members = {name.removeprefix(OPLOCK): order for name, order in row.items() if name.startswith(begin)}
        oldest_first = sorted(members.keys() - self.always, key=members.__getitem__)
        return {name: members[name] for name in oldest_first[: max(0, len(oldest_first) - self.most)]}


def remove_surplus(table: RowStore, key: Attributes, family: OplockFamily, row: Item) -> frozenset[str]:
    """Remove the members beyond the family's bound from a row that was just read; return their names.

    Usually there are none, and no request is made. Each is removed only if it is still what was read. If a crash or
    contention leaves some there, the next event about the row removes them. What another task removed meanwhile is
    gone, too.
    """
    gone: set[str] = set()
    for _ in range(ATTEMPTS):
        surplus = dict(list(family.surplus(row).items())[:AT_ONCE])
        if not surplus:
            break
        try:
            table.update(key, assign={}, remove=_attributes(surplus), condition=_unchanged(surplus))
        except ConditionFailed as failed:
            row = failed.row or {}
            gone |= {name for name in surplus if f"{OPLOCK}{name}" not in row}
        else:
            return frozenset(gone | surplus.keys())
    return frozenset(gone)


def _attributes(members: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(attribute for name in members for attribute in (name, f"{OPLOCK}{name}"))


def _unchanged(members: Mapping[str, str]) -> Condition:
    places = {f"m{number}": name for number, name in enumerate(members)}
    return Condition(
        " AND ".join(f"#{place} = :{place}" for place in places),
        {place: f"{OPLOCK}{name}" for place, name in places.items()},
        {place: members[name] for place, name in places.items()},
    )


# No `#`, which ends it in an order, and no character that sorts before that.
_ORIGIN = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)

_TTL_IN_FIELDS = (
    "`ttl` is no field: it follows from TTL_DAYS of view.py. A row that lives until a date of its domain says "
    "expires_at=<epoch seconds> beside its fields"
)


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
    origin: the service of the event, if versions of it both write the fields; each of them must say so, see `Edit`. Or
    which of several entities the event is about, if they share the oplock, see `origin_of_entity`.
    expires_at: the date of the domain until which the row is shown (epoch seconds), under this oplock as the fields
    are: each update of the set says one. Another date, earlier or later, is that of the newest update, in every order.
    The table keeps the row until the latest date that it ever had, and as long as its events would: else DynamoDB took
    the oplock that refuses what comes late. So the view has TTL_DAYS, and declares EXPIRES_WITHIN_DAYS.
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
    expires_at: int | None = None

    def __post_init__(self) -> None:
        for name, value in self.key.items():
            if not isinstance(value, str) or not 1 <= len(value.encode()) <= MAX_PARTITION_KEY_BYTES:
                raise Poison(f"key attribute {name} must be text of 1 to {MAX_PARTITION_KEY_BYTES} bytes")
        if self.about_ms is not None and not 0 <= self.about_ms <= MAX_TIMESTAMP_MS:
            raise Poison("what it is about has no time that sorts")
        if self.origin and not _ORIGIN.fullmatch(self.origin):
            raise ValueError(f"{self.origin!r} is no name of a service that sorts within an order")
        if ttl.ATTRIBUTE in self.fields:
            raise ValueError(_TTL_IN_FIELDS)
        if self.expires_at is not None:
            _require_seconds(self.expires_at)

    @property
    def target(self) -> Hashable:
        """The row and the oplock: never the row alone, or one oplock's update would replace another's.

        And the date, for the row is kept until the latest.
        """
        if self.expires_at is not None:
            return (self.oplock, self.expires_at, *sorted(self.key.items()))
        return (self.oplock, *sorted(self.key.items()))


def origin_of_entity(name: str) -> str:
    """Return the origin of an entity's events, where several entities share an oplock.

    Two of them may be written in one millisecond, and then the ids of their events decide, which nobody knows who wrote
    one: a read with its token could wait for ever for what lost. By name everybody knows which one stays.

    Raises:
        ValueError: a token does not name the entity.

    """
    if name == UNTOLD:
        raise ValueError("a token of this write has to name the entity")
    import hashlib  # noqa: PLC0415  it loads OpenSSL, and few rows have several entities under one oplock

    return hashlib.blake2s(name.encode(), digest_size=4).hexdigest()


def _require_seconds(expires_at: object) -> None:
    if not is_whole(expires_at) or not 0 <= expires_at < ttl.FIRST_NO_SECONDS:
        raise Poison(f"expires_at is a date in epoch seconds, and not {expires_at!r}")

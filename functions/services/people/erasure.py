"""Erasures: a person's row becomes a fence, and an erasure says so to others, both or neither.

| what stands there | what is written |
|---|---|
| a person, or nobody of that id | fence and erasure, in one transaction |
| a person, and an erasure: the table was restored to before it | the fence, with the erasure's time |
| a fence without an erasure: that table was restored | the erasure, with the fence's time |
| both | nothing |
"""

from typing import Final, Literal, NamedTuple, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Put, Table
from andon.dynamodb.expressions import Condition
from andon.events.fact import fact_of_row
from andon.runtime import times
from contract.entities.people import PersonEntity
from services.people.person import PersonRow
from services.people.tables import ERASURES, TABLE, key_of

PERSON_ERASED: Final = "person-erased"

DISCRIMINATOR: Final = "erasure"


class ErasureRow(TypedDict):
    """The row of an erasure; `timestamp`: epoch milliseconds."""

    discriminator: Literal["erasure"]
    id: str
    timestamp: int
    changedBy: str


class FenceRow(TypedDict):
    """The row of an erased person, its primary key aside: all that was said of them is gone, digests included."""

    id: str
    version: int
    since: int
    timestamp: int
    changedBy: str
    deleted: Literal[True]


class Stamp(NamedTuple):
    """The time of an erasure, and who asked for it."""

    timestamp: int
    actor: str


def stamp_upon(row: PersonRow | None, *, actor: str, now_ms: int) -> Stamp:
    """Return the stamp of an erasure: later than all that was written about the person before."""
    return Stamp(now_ms if row is None else max(now_ms, row["timestamp"] + 1), actor)


def fence(person_id: str, row: PersonRow | None, stamp: Stamp) -> Put:
    """Return the write of a fence in place of what stands there: nothing, or this very version of a person."""
    version = 1 if row is None else row["version"] + 1
    fenced: FenceRow = {
        "id": person_id,
        "version": version,
        "since": version if row is None else row["since"],
        "timestamp": stamp.timestamp,
        "changedBy": stamp.actor,
        "deleted": True,
    }
    return Put(TABLE, {**key_of(person_id), **fenced}, _as_found(row))


def erasure(person_id: str, stamp: Stamp) -> Put:
    """Return the write of an erasure, the first of this person."""
    row: ErasureRow = {
        "discriminator": DISCRIMINATOR,
        "id": person_id,
        "timestamp": stamp.timestamp,
        "changedBy": stamp.actor,
    }
    return Put(ERASURES, row, ERASURES.absent)


def stamp_of(row: ErasureRow | PersonRow) -> Stamp:
    """Return the stamp of an erasure, or of a fence."""
    return Stamp(row["timestamp"], row["changedBy"])


def fence_of(item: Item) -> tuple[Table, Item]:
    """Return the table and the row of the fence behind an erasure, for when the region of both is lost."""
    put = fence(item["id"], None, Stamp(item["timestamp"], item["changedBy"]))
    return put.table, dict(put.item)


def entity_of(row: ErasureRow) -> PersonEntity:
    """Return the entity of an erasure."""
    return {"id": row["id"], "erasedAt": times.to_utc(row["timestamp"])}


fact_of: Final = fact_of_row(PERSON_ERASED, "person", partition="id", entity_of=entity_of, once=True)


def _as_found(row: PersonRow | None) -> Condition:
    if row is None:
        return TABLE.absent
    return Condition("#version = :version", {"version": "version"}, {"version": row["version"]})

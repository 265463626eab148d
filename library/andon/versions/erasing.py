"""Erasures of persons, see `persons`: a fence takes the place of a person's row, and others are told, both or neither.

| what stands there | what is written |
|---|---|
| a person, or nobody of that id | fence and erasure, in one transaction |
| a person, and an erasure: the table was restored to before it | the fence, with the erasure's time |
| a fence without an erasure: that table was restored | the erasure, with the fence's time |
| both | nothing |
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import (
    ConditionFailed,
    Delete,
    Put,
    Table,
    TransactionConditionsFailed,
    TransactionConflict,
    transact,
)
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping
from andon.versions.persons import ERASURE, ERASURES, PLACEMENT, ErasureRow, PersonRow, Persons, placed_key
from andon.versions.versioned_write import ATTEMPTS, Contended, KeptRevisions, pause

FENCE: Final = "fence"
"""The name of its write in the transaction."""


class Stamp(NamedTuple):
    """The time of an erasure, and its actor."""

    timestamp: int
    actor: str

    @classmethod
    def of(cls, row: JsonMapping) -> "Stamp":
        """Return the stamp of an erasure, or of a fence."""
        return cls(row["timestamp"], row["changedBy"])


def revisions_of(of: Persons) -> KeptRevisions:
    """Return the fences behind erasures: these come back when a region is lost, and with them their fences."""
    return {ERASURE: partial(_fence_behind, of)}


def erase(of: Persons, id_: str, *, actor: str, require: Callable[[PersonRow | None], None]) -> None:
    """Put a fence in place of a person, and record the erasure; an erased person stays erased.

    require: refuses a row that the caller may not know of, or that there is none.

    Raises:
        Contended: others wrote the person at each of `ATTEMPTS` attempts.

    """
    row = of.versions_of(id_).current()
    for attempt in range(ATTEMPTS):
        require(row)
        if row is not None and row.get("deleted"):
            _record(id_, row)
            return
        try:
            _erase(of, id_, row, _stamp_upon(row, actor=actor, now_ms=clock.now_ms()))
        except ConditionFailed as failed:
            row = of.versions_of(id_).row_of(failed.row)
        except TransactionConflict:
            pause(attempt)
        else:
            return
    raise Contended


def fence(of: Persons, id_: str, row: PersonRow | None, stamp: Stamp) -> Put:
    """Return the write of a fence in place of nothing, or of this very version of a person."""
    version = 1 if row is None else row["version"] + 1
    fenced = {
        "id": id_,
        "version": version,
        "since": version if row is None else row["since"],
        "timestamp": stamp.timestamp,
        "changedBy": stamp.actor,
        "deleted": True,
    }
    return Put(of.table, {**of.key_of(id_), **fenced}, _as_found(of, row))


def _fence_behind(of: Persons, erased: Item) -> tuple[Table, Item]:
    """Return the table and the row of the fence behind an erasure, for when the region of both is lost."""
    put = fence(of, erased["id"], None, Stamp.of(erased))
    return put.table, dict(put.item)


def _erase(of: Persons, id_: str, row: PersonRow | None, stamp: Stamp) -> None:
    """Write fence and erasure; the fence alone if there is an erasure, which is older than the row's restoration.

    Raises:
        ConditionFailed: another row stands in the person's place than this one.
        TransactionConflict: others were writing it.

    """
    fenced = fence(of, id_, row, stamp)
    unplaced = {PLACEMENT: Delete(ERASURES, placed_key(id_), UNCONDITIONAL)} if of.placed else {}
    try:
        transact({FENCE: fenced, ERASURE: _erasure(id_, stamp), **unplaced})
    except TransactionConditionsFailed as failed:
        if FENCE in failed.failed:
            raise ConditionFailed(failed.failed[FENCE]) from failed
        fence(of, id_, row, Stamp.of(failed.failed[ERASURE] or {})).alone()


def _as_found(of: Persons, row: PersonRow | None) -> Condition:
    if row is None:
        return of.table.absent
    return Condition("#version = :version", {"version": "version"}, {"version": row["version"]})


def _stamp_upon(row: PersonRow | None, *, actor: str, now_ms: int) -> Stamp:
    """Return the stamp of an erasure: later than all that was written about the person before."""
    return Stamp(now_ms if row is None else max(now_ms, row["timestamp"] + 1), actor)


def _erasure(id_: str, stamp: Stamp) -> Put:
    """Return the write of an erasure, the first of this person."""
    row: ErasureRow = {
        "discriminator": ERASURE,
        "id": id_,
        "timestamp": stamp.timestamp,
        "changedBy": stamp.actor,
    }
    return Put(ERASURES, row, ERASURES.absent)


def _record(id_: str, fence: JsonMapping) -> None:
    """Record the erasure behind a fence, if its table was restored to before it."""
    try:
        _erasure(id_, Stamp.of(fence)).alone()
    except ConditionFailed:
        return

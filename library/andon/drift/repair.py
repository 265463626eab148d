"""Differences of a row -> writes that end them. None of them overwrites a later write.

What should be on the row is written through its oplock. An order that lies ahead would refuse it, and a ttl has no
oplock: those are written over if they are still what was found. If not, somebody else wrote the row; a later run looks.
"""

from typing import Final

from andon.drift.compare import Difference, DriftKind, RowDrift
from andon.drift.expected import Newest
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.events.bus_entry import Replay
from andon.views.inverse_oplock import oplock_attribute
from andon.views.oplock_family import OPLOCK
from andon.views.outcome import Outcome
from andon.views.row_store import RowStore

REPAIR: Final = "repair"

NOT_NEWER: Final = "#oplock <= :oplock"
STILL: Final = "#found = :found"
STILL_NONE: Final = "attribute_not_exists(#found) AND attribute_exists(#key)"


def repair(table: RowStore, drift: RowDrift, *, ttl_days: int | None, now_ms: int) -> bool:
    """End the differences of a row, each by itself; return whether all were ended.

    Raises:
        CallFailed: a write failed; the others may be written. Repeat it.

    """
    if drift.is_of_nothing:
        return _delete(table, drift)
    ended = [_end(table, drift.key, one, ttl_days=ttl_days, now_ms=now_ms) for one in drift.differences]
    return all(ended)


def _end(table: RowStore, key: Attributes, one: Difference, *, ttl_days: int | None, now_ms: int) -> bool:
    match one.kind, one.newest:
        case DriftKind.VALUES, Newest() as newest:
            return _write(table, key, one, _through_oplock(newest))
        case DriftKind.AHEAD, _:
            return _write(table, key, one, _still(oplock_attribute(one.oplock), one, table))
        case DriftKind.TTL, _:
            return _write(table, key, one, _still(ttl.ATTRIBUTE, one, table))
        case DriftKind.MISSING, Newest() as newest:
            replay = _replay_of(newest, ttl_days, now_ms)
            outcome = newest.update.write(table, newest.event, ttl_days=ttl_days, now_ms=now_ms, replay=replay)
            return outcome is not Outcome.EXPIRED
    return False  # nothing is known that could be written


def _replay_of(newest: Newest, ttl_days: int | None, now_ms: int) -> Replay | None:
    """Return the mark of a repair, if the event would expire on arrival while its row lives until a later date."""
    if newest.update.expires_at is None or ttl_days is None:
        return None
    is_expired = ttl.is_expired(ttl.ttl_at(newest.event.timestamp_ms, ttl_days), now_ms)
    return Replay(REPAIR) if is_expired else None


def _write(table: RowStore, key: Attributes, one: Difference, condition: Condition) -> bool:
    """Make the attributes that differ as they should be; return whether the condition held."""
    assign = {name: value for name, value in one.expected.items() if value is not None}
    remove = tuple(name for name, value in one.expected.items() if value is None)
    try:
        table.update(key, assign=assign, remove=remove, condition=condition)
    except ConditionFailed:
        return False
    return True


def _through_oplock(newest: Newest) -> Condition:
    names = {"oplock": oplock_attribute(newest.update.oplock)}
    return Condition(NOT_NEWER, names, {"oplock": newest.order.text})


def _still(name: str, one: Difference, table: RowStore) -> Condition:
    value = one.found[name]
    if value is None:
        return Condition(STILL_NONE, {"found": name, "key": table.keys.partition})
    return Condition(STILL, {"found": name}, {"found": value})


def _delete(table: RowStore, drift: RowDrift) -> bool:
    """Delete a row if it has still the orders that were found."""
    orders = [
        (name, value) for one in drift.differences for name, value in one.found.items() if name.startswith(OPLOCK)
    ]
    condition = Condition(
        " AND ".join(f"#o{number} = :o{number}" for number, _ in enumerate(orders)),
        {f"o{number}": name for number, (name, _) in enumerate(orders)},
        {f"o{number}": value for number, (_, value) in enumerate(orders)},
    )
    try:
        table.delete(drift.key, condition=condition)
    except ConditionFailed:
        return False
    return True

"""An order: maintenance of a machine, planned for a day, started, finished.

Its id is what the business tells orders apart by: the machine, the day that it was first planned for, and the kind. So
two people who plan the same plan one. Its history is sequential: orders are revised often, and their past is seldom
read. It lives until 90 days after the day that it is planned for by now.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.dynamodb.ttl import is_alive
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.http.places import ALWAYS, Stay
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Conflict, Invalid, NotFound, Stale
from andon.runtime.json_types import all_members_of, members_of
from andon.versions import sequential_history
from andon.versions.optimistic_lock import Changed, Command, Draft, Guard, Saved, VersionedRow, changed
from andon.versions.sequential_history import Lifetime
from andon.versions.versioned_write import ATTEMPTS, Contended, Revisions, Versions, revision_in
from contract.entities.maintenance import MaintenanceOrder, OrderContent, OrderEntity, Plan, Planned, Result
from contract.orders import (
    FINISHED,
    FURTHEST_DAYS,
    KEPT_DAYS,
    MOVED,
    PLANNED,
    STARTED,
    day_ms,
    end_of_day_ms,
    expires_at,
)
from services.maintenance import readings
from services.maintenance.order_id import OrderId
from services.maintenance.readings import Lasting, ReadingsRow
from services.maintenance.tables import HISTORY, HISTORY_TABLE, KEYS, TABLE, partition_of

DISCRIMINATOR: Final = "order"
KIND: Final = "order"

MISSING: Final = "No such order is planned, or not any more."
OVER: Final = "That day is over: plan for another one."
BEGUN: Final = "It was started, or finished: it cannot be planned anew."
ENDED: Final = "It is finished."
NOT_STARTED: Final = "It was not started; what is not done is finished as skipped."
OTHERWISE: Final = "It is finished with another result, or with other readings."
NOT_MEASURED: Final = "It was not started: there is nothing to measure."


class OrderRow(MaintenanceOrder, VersionedRow):
    """The current row, or a revision, its key aside."""

    discriminator: str


class OrderVersion(MaintenanceOrder, Changed):
    """A version of an order; times are fixed-width UTC, days are UTC. `date` is the day in its id.

    readingsNumber: of what was measured at its end. Of an open order of the company that had the machine before,
    factory and author are left out.
    """


def versions_of(order: OrderId) -> Versions[OrderRow]:
    """Return the place of its versions."""
    key = KEYS.of(partition_of(order.equipment_id), sort_key(KIND, order.date, order.kind))
    return Versions(table=TABLE, key=key, revisions=_revisions_of(order))


def _revisions_of(order: OrderId) -> Revisions:
    partition = f"{partition_of(order.equipment_id)}#{order.date}#{order.kind}"
    return Revisions(
        table=HISTORY_TABLE,
        key_of=lambda version: HISTORY.of(partition, version),
        all=KeyQuery(keys=HISTORY, partition=partition),
        attributes=_mark_of(order),
    )


def orders_of(equipment_id: str) -> KeyQuery:
    """Return the query of a machine's orders by the days in their ids, the latest first."""
    return KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=BeginsWith(prefix(KIND)))


def get(order: OrderId, *, now_ms: int) -> OrderRow:
    """Read an order.

    Raises:
        NotFound: there is none, or its time is over.

    """
    row = _seen(order, now_ms)
    if row is None:
        raise NotFound(MISSING)
    return row


def revisions_of(order: OrderId) -> KeyQuery:
    """Return the query of its history, newest first; it may have a revision that is not to be seen, see `seen_by`."""
    return _revisions_of(order).all


def seen_by(order: OrderId, revisions: Sequence[Item], *, now_ms: int) -> list[Item]:
    """Return those of some revisions, read before, that its current row shows; of an order that is not there, none."""
    row = _seen(order, now_ms)
    return [one for one in revisions if row and one["version"] <= row["version"]]


def plan(order: OrderId, said: Plan, *, at: Planned, command: Command) -> Saved[OrderRow]:
    """Plan an order, or plan it anew, as long as it was not started. at: where, and for which day.

    Raises:
        Invalid: the day lies too far ahead, or so far back that it would be kept no more.
        Conflict: it was started.
        NotFound: the day in its id is over, and it was not planned by then.
        Rejected: see `sequential_history.save`.

    """
    planned_for = at["plannedFor"]
    if day_ms(planned_for) > command.now_ms + FURTHEST_DAYS * DAY_MS:
        raise Invalid.field("body.plannedFor", f"must lie at most {FURTHEST_DAYS} days ahead")
    if day_ms(planned_for) < command.now_ms - KEPT_DAYS * DAY_MS:
        if planned_for == order.date:
            raise NotFound(OVER)
        raise Invalid.field("body.plannedFor", f"must lie at most {KEPT_DAYS} days back")
    content = all_members_of(OrderContent, {**said, **at, "status": "planned"})
    draft = Draft(content, _mark_of(order), command, guard=NOT_BEGUN, gone=NotFound(OVER))
    return _save(order, draft)


def start(order: OrderId, command: Command) -> Saved[OrderRow]:
    """Start an order; a repetition gets it as it is.

    Raises:
        NotFound: there is none.
        Conflict: it is finished.

    """

    def started(row: OrderRow) -> OrderContent | None:
        if row["status"] == "started":
            return None
        if row["status"] == "finished":
            raise Conflict(ENDED)
        return {**all_members_of(OrderContent, row), "status": "started", "startedAt": times.to_utc(command.now_ms)}

    return _advance(order, command, started)


def measure(order: OrderId, measured: Mapping[str, float], command: Command) -> ReadingsRow:
    """Log the readings of an order, under the next number. A retry is logged again.

    Raises:
        NotFound: there is none.
        Conflict: it was not started.

    """
    row = get(order, now_ms=command.now_ms)
    _require_started(row)
    return readings.count(order, measured, Lasting.of(row), command)


def finish(order: OrderId, result: Result, measured: Mapping[str, float] | None, command: Command) -> Saved[OrderRow]:
    """Finish an order; a repetition with the same result and readings gets it as it is.

    measured: is logged first, and the order names its number. So what an order names is in the log, and who finishes it
    again after a crash in between logs it again.

    Raises:
        NotFound: there is none.
        Conflict: it is finished otherwise; or it was not started, and is not skipped, or something was measured.

    """

    def finished(row: OrderRow) -> OrderContent | None:
        if row["status"] == "finished":
            if (row["result"], _measured_at_end(order, row)) != (result, measured):
                raise Conflict(OTHERWISE)
            return None
        if row["status"] == "planned" and result != "skipped":
            raise Conflict(NOT_STARTED)
        content = all_members_of(OrderContent, row)
        if measured is not None:
            _require_started(row)
            # Once in a request: nothing but its end follows an order that was started.
            content["readingsNumber"] = readings.count(order, measured, Lasting.of(row), command)["version"]
        return {**content, "status": "finished", "finishedAt": times.to_utc(command.now_ms), "result": result}

    return _advance(order, command, finished)


def to_entity(row: Mapping[str, object]) -> OrderEntity:
    """Return the entity of a version."""
    return members_of(OrderEntity, row)


def to_shown(row: OrderRow, stay: Stay) -> Mapping[str, object]:
    """Return a version for a caller at its machine's place: of another company neither factory nor people."""
    said: OrderVersion = {**members_of(MaintenanceOrder, row), **changed(row)}
    is_elsewhere = bool(stay.since) and row["factoryId"] not in stay.names
    gone = {"factoryId"} if is_elsewhere else set()
    gone |= {"changedBy"} if said["changedAt"] < stay.since else set()
    return {name: value for name, value in said.items() if name not in gone}


def time_of(row: Mapping[str, Any]) -> str:
    """Return when a version was made; an order that is open goes with its machine, whenever that was."""
    return times.to_utc(row["timestamp"]) if row["status"] == "finished" else ALWAYS


def _fact_of(change: Change) -> Fact | None:
    """Return the fact of a new version; one that was moved says where it was before."""
    row = change.new
    if row is None:
        return None
    entity = to_entity(row)
    if change.old and change.old["version"]:
        entity["before"] = {"factoryId": change.old["factoryId"], "plannedFor": change.old["plannedFor"]}
    return Fact(_type_of(row), row["timestamp"], row["equipmentId"], DISCRIMINATOR, entity, actor=author_in(row))


fact_of: Final = sequential_history.of_versions(_fact_of)


def kept_revision(row: Item) -> tuple[Table, Item]:
    """Return the table and the row of the revision that a current row is."""
    revisions = _revisions_of(OrderId(row["equipmentId"], row["date"], row["kind"]))
    return HISTORY_TABLE, {**revision_in(row, KEYS), **revisions.key_of(row["version"])}


def _require_started(row: OrderRow) -> None:
    """Check that an order was started: its dates stand from then on, by which its readings expire.

    Raises:
        Conflict: it was not.

    """
    if "startedAt" not in row:
        raise Conflict(NOT_MEASURED)


def _measured_at_end(order: OrderId, row: OrderRow) -> Mapping[str, float] | None:
    """Read the readings with which an order was finished; None: with none."""
    number = row.get("readingsNumber")
    taken = None if number is None else readings.get(order, number)
    return None if taken is None else taken["readings"]


def _type_of(row: Item) -> str:
    if row["status"] == "planned":
        return PLANNED if row["version"] == 1 else MOVED
    return STARTED if row["status"] == "started" else FINISHED


def _seen(order: OrderId, now_ms: int) -> OrderRow | None:
    """Read an order as readers see it."""
    versions = versions_of(order)
    item = sequential_history.visible(TABLE.get(versions.key, consistent=True))
    return versions.row_of(item) if item and is_alive(item, now_ms) else None


def _advance(order: OrderId, command: Command, decide: Callable[[OrderRow], OrderContent | None]) -> Saved[OrderRow]:
    """Read an order, and save the decision upon it; None: it stays as it is. A change in between begins anew."""
    for _ in range(ATTEMPTS):
        row = get(order, now_ms=command.now_ms)
        content = decide(row)
        if content is None:
            return Saved(row, created=False)
        try:
            upon = command._replace(if_match=row["version"])
            return _save(order, Draft(content, _mark_of(order), upon, gone=NotFound(MISSING)))
        except Stale:
            continue
    raise Contended


def _save(order: OrderId, draft: Draft) -> Saved[OrderRow]:
    lifetime = Lifetime(
        expires_at=expires_at(str(draft.content["plannedFor"])),
        open_until=max(0, end_of_day_ms(order.date) // 1000),  # an id may hold a day before 1970
    )
    return sequential_history.save(versions_of(order), draft, lifetime)


def _mark_of(order: OrderId) -> dict[str, object]:
    """Return the attributes of each row besides its revision."""
    return {"discriminator": DISCRIMINATOR, **order.attributes}


NOT_BEGUN: Final = Guard(
    condition=Condition("#status = :planned", {"status": "status"}, {"planned": "planned"}),
    admits=lambda row: row is None or row["status"] == "planned",
    otherwise=Conflict(BEGUN),
)

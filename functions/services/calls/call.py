"""A call: somebody needs help at a piece of equipment, until somebody closes it with a cause, or rejects it.

Its id is the client's, so that a double tap and a resend are one call. Of a category there is one open call at a piece
of equipment: the row that says which is written in the transaction of the call's own row. Once that has ended it says
when, so that the next call is later, whichever clock its writer has: views order the calls of a category by time.
"""

from collections.abc import Callable, Mapping
from typing import Final, NotRequired, TypedDict, cast

from andon.dynamodb.client import Put
from andon.dynamodb.expressions import Condition
from andon.dynamodb.keys import SEPARATOR, prefix, sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.dynamodb.ttl import ATTRIBUTE, is_alive, ttl_at
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.http.places import ALWAYS
from andon.runtime import times
from andon.runtime.errors import Conflict, NotFound, PreconditionRequired
from andon.runtime.json_types import members_of
from andon.runtime.marks import optional_of
from andon.versions.also import Also
from andon.versions.claims import CLAIM, OWNER
from andon.versions.optimistic_lock import Changed, Command, Draft, Saved, VersionedRow, changed
from andon.versions.versioned_write import ATTEMPTS, Contended, Versions, change, save
from contract import calls
from contract.entities.calls import CallBody, CallEntity, CallStatus
from services.calls.catalog import Catalog
from services.calls.places import EquipmentPlace
from services.calls.tables import BY_EQUIPMENT, BY_PLACE, KEYS, TABLE, partition_of

DISCRIMINATOR: Final = "call"

MISSING: Final = "There is no such call, or not any more."
ENDED: Final = "This call is closed, or rejected."
OPEN: Final = "This equipment has an open call of this category."
ANOTHER: Final = "This id is that of another call."

ENDED_MS: Final = "endedMs"
"""When the last call of a category ended, if none is open."""


class CallRow(CallEntity, VersionedRow):
    """The row of a call, its key aside. `place`: key of the index of open calls."""

    discriminator: str
    company: str
    place: NotRequired[str]


class CallVersion(CallEntity, Changed):
    """A call; times are fixed-width UTC, people tokens' subjects.

    secondsToTake: from the raising until it was first taken. secondsToClose: until it was closed. `endedAt` and
    `endedBy` are of a call that is closed, or rejected for a `reason`. Of an open call of the company that had the
    equipment before, where, by whom and why is left out.
    """

    secondsToTake: NotRequired[int]  # noqa: N815  the contract's name
    secondsToClose: NotRequired[int]  # noqa: N815


class OpenCallVersion(TypedDict):
    """The same without its place, its caller, and its text."""

    id: str
    version: int
    equipmentId: str
    category: str
    priority: int
    status: CallStatus
    raisedAt: str


CONTENT: Final = tuple(
    name
    for name in dict.fromkeys(("equipmentId", *EquipmentPlace.__annotations__, "place", *CallEntity.__annotations__))
    if name not in {"id", "version"}
)
"""The members of a version that it says itself: where it is, then what it is."""


def versions_of(call_id: str) -> Versions[CallRow]:
    """Return the place of a call; no earlier version is kept."""
    return Versions(table=TABLE, key=KEYS.of(f"Call#{call_id}", DISCRIMINATOR))


def open_calls(factory_id: str, line_id: str | None) -> KeyQuery:
    """Return the query of a factory's open calls: by line, then priority, then time, the oldest first."""
    sort = None if line_id is None else BeginsWith(prefix(_part(line_id)))
    return KeyQuery(keys=BY_PLACE, index_name="ByPlace", partition=factory_id, sort=sort, forward=True)


def calls_of(equipment_id: str) -> KeyQuery:
    """Return the query of the calls at a piece of equipment, newest first."""
    return KeyQuery(keys=BY_EQUIPMENT, index_name="ByEquipment", partition=equipment_id)


def get(call_id: str, *, now_ms: int) -> CallRow | None:
    """Read a call; None if there is none, or not any more."""
    row = versions_of(call_id).current()
    return row if row and is_alive(row, now_ms) else None


def raise_call(
    call_id: str,
    request: CallBody,
    place: EquipmentPlace,
    catalog: Catalog,
    command: Command,
    *,
    to_shown: Callable[[CallRow], CallVersion | OpenCallVersion],
) -> Saved[CallRow]:
    """Raise a call; a repetition gets it as it is. to_shown: the caller's view of another one.

    Raises:
        Invalid: the catalog lacks the category.
        Conflict: another call of the category is open there; or the id is that of another call.
        Contended: calls came and went at each of `ATTEMPTS` attempts.

    """
    for _ in range(ATTEMPTS):
        try:
            return save(versions_of(call_id), _raised(call_id, request, place, catalog, command))
        except PreconditionRequired:
            if (row := find_again(call_id, request, command.actor)) is None:
                raise Conflict(ANOTHER) from None
            return Saved(row, created=False)
        except Conflict:
            command = _behind_the_last(request, command, to_shown)
    raise Contended


def find_again(call_id: str, request: CallBody, actor: str) -> CallRow | None:
    """Return the call that somebody raises again; None: there is no call of this id, or it says something else."""
    row = versions_of(call_id).current()
    if row is None or row["raisedBy"] != actor:
        return None
    said = {"priority": row["priority"], **request}
    return row if said == members_of(CallBody, row) else None


def take(call_id: str, command: Command, here: EquipmentPlace | None) -> Saved[CallRow]:
    """Take a call; a takeover of a taken call leaves the time of its first taking.

    Raises:
        Conflict: it has ended.
        Rejected: see `versioned_write.change`.

    """

    def taken(row: CallRow) -> Draft:
        taken_at = row.get("takenAt") or times.to_utc(_now_ms(row, command))
        return _draft(row, {"status": "taken", "taker": command.actor, "takenAt": taken_at}, command)

    return _change(call_id, taken, command, here)


def close(
    call_id: str,
    cause: str | None,
    note: str | None,
    *,
    catalog_of: Callable[[str], Catalog],
    command: Command,
    here: EquipmentPlace | None,
) -> Saved[CallRow]:
    """Close a call with its cause; catalog_of: the id of a factory -> its catalog.

    Raises:
        Invalid: the catalog lacks the cause, or the category needs one.
        Conflict: it has ended.
        Rejected: see `versioned_write.change`.

    """

    def closed(row: CallRow) -> Draft:
        catalog_of(row["factoryId"]).require_cause(cause, category=row["category"], line_id=row["lineId"])
        return _ended(row, {"status": "closed", "cause": cause, "note": note}, command)

    return _change(call_id, closed, command, here)


def reject(call_id: str, reason: str, command: Command, here: EquipmentPlace | None) -> Saved[CallRow]:
    """Reject a call.

    Raises:
        Conflict: it has ended.
        Rejected: see `versioned_write.change`.

    """
    return _change(call_id, lambda row: _ended(row, {"status": "rejected", "reason": reason}, command), command, here)


def to_entity(row: Mapping[str, object]) -> CallEntity:
    """Return a version for an event."""
    return members_of(CallEntity, row)


def to_response(row: CallRow) -> CallVersion:
    """Return a version for a response."""
    entity = to_entity(row)
    of = {"secondsToTake": entity.get("takenAt"), "secondsToClose": row["status"] == "closed" and entity.get("endedAt")}
    seconds = {name: _seconds(entity["raisedAt"], at) for name, at in of.items() if at}
    return members_of(CallVersion, {**entity, **seconds, **changed(row)})


def time_of(row: Mapping[str, str]) -> str:
    """Return when a call was raised; one that is open goes with its equipment, whenever that was."""
    return ALWAYS if row["status"] in calls.OPEN else row["raisedAt"]


def to_open(row: CallRow) -> OpenCallVersion:
    """Return as much of another company's open call as is needed to answer it where its equipment stands by now."""
    return members_of(OpenCallVersion, row)


def fact_of(change: Change) -> Fact | None:
    """Return the fact of a new version."""
    row = change.new
    if row is None:
        return None
    event_type = calls.CALL_FACTS[row["status"]]
    return Fact(event_type, row["timestamp"], row["equipmentId"], DISCRIMINATOR, to_entity(row), actor=author_in(row))


def _raised(call_id: str, request: CallBody, place: EquipmentPlace, catalog: Catalog, command: Command) -> Draft:
    raised_at = times.to_utc(command.now_ms)
    said = {"priority": catalog.priority_of(request["category"]), **request}
    content = {
        **dict.fromkeys(CONTENT),
        **said,
        **place,
        "place": sort_key(_part(place["lineId"]), str(said["priority"]), raised_at),
        "status": "raised",
        "raisedAt": raised_at,
        "raisedBy": command.actor,
    }
    return Draft(content, _mark_of(call_id), command, also={"open call": _opens(call_id, request, command.now_ms)})


def _behind_the_last(
    request: CallBody, command: Command, to_shown: Callable[[CallRow], CallVersion | OpenCallVersion]
) -> Command:
    """Return the command with a time behind the end of the last call of its category there.

    Raises:
        Conflict: that is open.

    """
    last = TABLE.get(_open_key(request["equipmentId"], request["category"]), consistent=True) or {}
    row = versions_of(last[OWNER]).current() if OWNER in last else None
    if row and row["status"] in calls.OPEN:
        raise Conflict(OPEN, members={"call": to_shown(row)})
    return command._replace(now_ms=max(command.now_ms, last.get(ENDED_MS, 0) + 1))


def _opens(call_id: str, request: CallBody, now_ms: int) -> Also:
    """Return the write by which a call is the open one of its category, if there is none, and none ended later."""
    condition = Condition(
        "(attribute_not_exists(#owner) OR #owner = :owner) AND (attribute_not_exists(#ended) OR #ended < :now)",
        {"owner": OWNER, "ended": ENDED_MS},
        {"owner": call_id, "now": now_ms},
    )
    key = _open_key(request["equipmentId"], request["category"])
    return Also(Put(TABLE, {**key, OWNER: call_id, "discriminator": CLAIM}, condition))


def _ends(row: CallRow, ended_ms: int) -> Also:
    """Return the write by which a call is no longer the open one."""
    said = {ENDED_MS: ended_ms, ATTRIBUTE: ttl_at(ended_ms, calls.KEPT_DAYS), "discriminator": CLAIM}
    # Free, if it was lost with its region: it is no fact, and does not come back with the calls.
    condition = Condition("attribute_not_exists(#owner) OR #owner = :owner", {"owner": OWNER}, {"owner": row["id"]})
    return Also(Put(TABLE, {**_open_key(row["equipmentId"], row["category"]), **said}, condition))


def _change(
    call_id: str, decide: Callable[[CallRow], Draft], command: Command, here: EquipmentPlace | None
) -> Saved[CallRow]:
    """Change an open call. here: the present place of its equipment, where a caller there takes it over."""

    def upon(row: CallRow) -> Draft:
        if not is_alive(row, command.now_ms):
            raise NotFound(MISSING)
        if row["status"] not in calls.OPEN:
            raise Conflict(ENDED)
        return decide(row if here is None else _brought(row, here, command))

    return change(versions_of(call_id), command, upon)


def _brought(row: CallRow, here: EquipmentPlace, command: Command) -> CallRow:
    """Return a call as one that is raised where its equipment stands; of another company's nothing is left but that."""
    raised_at = row["raisedAt"]
    if row["company"] != here["company"]:
        raised_at = times.to_utc(_now_ms(row, command))
        gone = optional_of(CallEntity)
        row = cast("CallRow", {name: value for name, value in row.items() if name not in gone})
        row = {**row, "status": "raised", "raisedAt": raised_at, "raisedBy": command.actor}
    return {**row, **here, "place": sort_key(_part(here["lineId"]), str(row["priority"]), raised_at)}


def _ended(row: CallRow, changes: Mapping[str, object], command: Command) -> Draft:
    """Return the draft of a call that ends: no list of open calls has it, it expires, and another one may be raised."""
    ended_ms = _now_ms(row, command)
    ended = {**changes, "place": None, "endedAt": times.to_utc(ended_ms), "endedBy": command.actor}
    draft = _draft(row, ended, command)
    expires = {ATTRIBUTE: ttl_at(ended_ms, calls.KEPT_DAYS)}
    return draft._replace(attributes={**draft.attributes, **expires}, also={"open call": _ends(row, ended_ms)})


def _draft(row: CallRow, changes: Mapping[str, object], command: Command) -> Draft:
    """Return the draft of a row with changes."""
    members: Mapping[str, object] = row
    content = {name: members.get(name) for name in CONTENT}
    return Draft({**content, **changes}, _mark_of(row["id"]), command)


def _mark_of(call_id: str) -> dict[str, object]:
    return {"id": call_id, "discriminator": DISCRIMINATOR}


def _open_key(equipment_id: str, category: str) -> dict[str, str | int]:
    return KEYS.of(partition_of(equipment_id), sort_key("open", category))


def _part(line_id: str) -> str:
    """Return a line's id as a part of a sort key; no id has a `%`."""
    return line_id.replace(SEPARATOR, "%23")


def _now_ms(row: CallRow, command: Command) -> int:
    """Return the time of a change: that of its version, also where the writer's clock is behind."""
    return max(command.now_ms, row["timestamp"] + 1)


def _seconds(since: str, until: str) -> int:
    return (times.to_ms(until) - times.to_ms(since)) // 1000

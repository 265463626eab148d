"""What a piece of equipment is and on which levels it stands, one version after the other."""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict, cast

from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.ttl import ttl_at
from andon.events.actor import author_in
from andon.events.fact import Change, Fact, lifecycle
from andon.runtime import times
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.versions.bitemporal import Timeline
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Revisions, Versions
from contract.entities import Changed, LevelEntity, MachineEntity
from contract.locations import board_sort_key, location_of
from services.equipment2.tables import (
    CORRECTIONS,
    HISTORY,
    HISTORY_BY_TIME,
    HISTORY_TABLE,
    KEYS,
    TABLE,
    partition_of,
)

DISCRIMINATOR: Final = "machine"

# How long a tombstone stands in the way before the TTL service takes it; the history keeps it for ever.
TOMBSTONE_DAYS: Final = 33


class MachineContent(TypedDict):
    """What a revision says; `validFrom`: since when it is so (epoch milliseconds), if not since it was recorded."""

    name: str
    factoryId: str
    lineId: str
    levels: list[LevelEntity]
    validFrom: NotRequired[int | None]


class MachineMark(TypedDict):
    """What stands on each row of a machine besides its revision."""

    discriminator: str
    id: str


class MachineRow(MachineContent, MachineMark, VersionedRow):
    """The current row, or a revision, its key aside; `ttl`: epoch seconds, on a tombstone."""

    ttl: NotRequired[int]


class MachineVersion(MachineEntity, Changed):
    """A version in a response."""


def key_of(equipment_id: str) -> dict[str, str | int]:
    """Return the primary key of the current row."""
    return KEYS.of(partition_of(equipment_id))


def revision_key(equipment_id: str, version: int) -> dict[str, str | int]:
    """Return the primary key of a revision, in the history."""
    return HISTORY.of(partition_of(equipment_id), version)


def versions_of(equipment_id: str) -> Versions:
    """Return where the versions are kept: the current one, and all of them in the history."""
    revisions = Revisions(
        table=HISTORY_TABLE,
        key_of=lambda version: revision_key(equipment_id, version),
        all=revisions_of(equipment_id),
        attributes=mark_of(equipment_id),
    )
    return Versions(table=TABLE, key=key_of(equipment_id), revisions=revisions)


def revisions_of(equipment_id: str) -> KeyQuery:
    """Return the query of all revisions, newest first."""
    return KeyQuery(keys=HISTORY, partition=partition_of(equipment_id))


def timeline_of(equipment_id: str) -> Timeline:
    """Return where the revisions are found by time."""
    partition = partition_of(equipment_id)
    return Timeline(
        HISTORY_TABLE,
        recorded=KeyQuery(keys=HISTORY_BY_TIME, index_name="ByTime", partition=partition),
        corrections=KeyQuery(keys=CORRECTIONS, index_name="Corrections", partition=partition),
    )


def register(equipment_id: str, content: MachineContent, command: Command) -> Draft:
    """Decide a revision.

    Raises:
        Invalid: id and location together are too long for a sort key; or `validFrom` lies ahead.

    """
    try:
        board_sort_key(cast("Mapping[str, str]", location_of(content["levels"])), equipment_id)
    except ValueError as error:
        raise Invalid.field("body.levels", str(error)) from error
    valid_from = content.get("validFrom")
    if valid_from is not None and not 0 <= valid_from <= command.now_ms:
        raise Invalid.field("body.validFrom", "must lie between 1970 and now")
    said = content_of(content) | {"validFrom": valid_from}
    return Draft(content=said, attributes=mark_of(equipment_id), command=command)


def retire(row: MachineRow, command: Command) -> Draft:
    """Decide the tombstone of a row: a revision with the same content, marked deleted."""
    timestamp_ms = max(command.now_ms, row["timestamp"] + 1)  # as the tombstone will be stamped
    attributes = {**mark_of(row["id"]), "ttl": ttl_at(timestamp_ms, TOMBSTONE_DAYS)}
    return Draft(
        content=content_of(row), attributes=attributes, command=command, deleted=True, revives=False, repeats=True
    )


def roll_back(revision: MachineRow | None, command: Command) -> Draft:
    """Decide a new revision with the content of an earlier one.

    Raises:
        NotFound: there is no such revision.
        Conflict: it is a tombstone.

    """
    earlier = require_version(revision)
    if earlier.get("deleted"):
        raise Conflict("That version is a deletion.")
    attributes = mark_of(earlier["id"])
    return Draft(content=content_of(earlier), attributes=attributes, command=command, revives=False, repeats=True)


def row_of(item: Mapping[str, Any] | None) -> MachineRow | None:
    """Return what a table keeps under a key of a machine."""
    return cast("MachineRow | None", item)


def require_registered(row: MachineRow | None) -> MachineRow:
    """Return a row that is there and no tombstone.

    Raises:
        NotFound: there is none.

    """
    if row is None or row.get("deleted"):
        raise NotFound("This equipment is not registered.")
    return row


def require_version(row: MachineRow | None) -> MachineRow:
    """Return a revision that is there.

    Raises:
        NotFound: there is none.

    """
    if row is None:
        raise NotFound("There is no such version.")
    return row


def to_response(row: MachineRow) -> MachineVersion:
    """Return what a response says of a version."""
    return {**entity_of(row), "changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


def machine_changed(change: Change) -> Fact | None:
    """Return the fact of a revision: `machine-created`, `-updated`, `-deleted`, `-undeleted`."""
    row = row_of(change.new)
    if row is None:
        return None
    return Fact(
        type=lifecycle(change, DISCRIMINATOR),
        timestamp_ms=row["timestamp"],
        partition_key=row["id"],
        entity_name=DISCRIMINATOR,
        entity=entity_of(row),
        actor=author_in(row),
    )


def mark_of(equipment_id: str) -> MachineMark:
    """Return what stands on each row of a machine besides its revision."""
    return {"discriminator": DISCRIMINATOR, "id": equipment_id}


def content_in(said: Mapping[str, Any]) -> MachineContent:
    """Return what a body says; its `validFrom` is a time as text."""
    valid_from = said.get("validFrom")
    return cast("MachineContent", {**said, "validFrom": None if valid_from is None else times.to_ms(valid_from)})


def content_in_entity(machine: MachineEntity) -> MachineContent:
    """Return what a revision says of an entity."""
    valid_from = machine.get("validFrom")
    since_ms = None if valid_from is None else times.to_ms(valid_from)
    return {**content_of(cast("MachineContent", machine)), "validFrom": since_ms}


def content_of(source: MachineContent) -> MachineContent:
    """Return what a revision says, without anything else that a row has, as it is from now on."""
    return {
        "name": source["name"],
        "factoryId": source["factoryId"],
        "lineId": source["lineId"],
        "levels": source["levels"],
        "validFrom": None,
    }


def entity_of(row: MachineRow) -> MachineEntity:
    """Return what an event says of a version."""
    entity: MachineEntity = {
        "id": row["id"],
        "version": row["version"],
        "name": row["name"],
        "factoryId": row["factoryId"],
        "lineId": row["lineId"],
        "levels": row["levels"],
    }
    valid_from = row.get("validFrom")
    if valid_from is not None:
        entity["validFrom"] = times.to_utc(valid_from)
    if row.get("deleted"):
        entity["deleted"] = True
    return entity

"""The metadata of a piece of equipment: what it is and where it stands, one version after the other."""

from collections.abc import Mapping
from typing import Any

from contract import times
from contract.locations import board_sort_key
from patterns.dynamodb.key_query import KeyQuery, LessThan
from patterns.dynamodb.ttl import ttl_at
from patterns.events.fact import Change, Fact, lifecycle
from patterns.runtime.errors import Conflict, Invalid, NotFound
from patterns.versions.optimistic_lock import Command, Draft
from services.equipment.tables import HISTORY, HISTORY_BY_TIME, partition_of

DISCRIMINATOR = "equipment"

# How long a tombstone stands in the way before the TTL service takes it; the history keeps it for ever.
TOMBSTONE_DAYS = 33

CONTENT = ("name", "factoryId", "lineId", "location")


def key_of(equipment_id: str) -> dict[str, Any]:
    """Give the primary key of the current metadata."""
    return {"pk": partition_of(equipment_id), "sk": "Metadata"}


def revision_key(equipment_id: str, version: int) -> dict[str, Any]:
    """Give the primary key of a revision, in the history."""
    return {"pk": partition_of(equipment_id), "version": version}


def revisions_of(equipment_id: str) -> KeyQuery:
    """Ask for all revisions, newest first."""
    return KeyQuery(keys=HISTORY, partition=partition_of(equipment_id))


def revisions_until(equipment_id: str, time: str) -> KeyQuery:
    """Ask for the revisions that were made until `time`, newest first."""
    # No range from 0: there are times before 1970, and DynamoDB refuses a range that ends before it begins.
    sort = LessThan(times.to_ms(time) + 1)
    return KeyQuery(keys=HISTORY_BY_TIME, index="ByTime", partition=partition_of(equipment_id), sort=sort)


def register(equipment_id: str, content: Mapping[str, Any], command: Command) -> Draft:
    """Decide a revision `{name, factoryId, lineId, location}`.

    Raises:
        Invalid: id and location together are too long for a sort key.

    """
    try:
        board_sort_key(content["location"], equipment_id)
    except ValueError as error:
        raise Invalid.field("body.location", str(error)) from error
    return Draft(content=_content(content), attributes=attributes_of(equipment_id), command=command)


def retire(row: Mapping[str, Any], command: Command) -> Draft:
    """Decide the tombstone of what stands in `row`: a revision that says the same, marked deleted."""
    timestamp = max(command.now_ms, row["timestamp"] + 1)  # as the tombstone will be stamped
    attributes = {**attributes_of(row["id"]), "ttl": ttl_at(timestamp, TOMBSTONE_DAYS)}
    return Draft(
        content=_content(row), attributes=attributes, command=command, deleted=True, revives=False, repeats=True
    )


def roll_back(revision: Mapping[str, Any] | None, command: Command) -> Draft:
    """Decide a new revision that says what an earlier one said.

    Raises:
        NotFound: there is no such revision.
        Conflict: it is a tombstone.

    """
    if revision is None:
        raise NotFound("There is no such version.")
    if revision.get("deleted"):
        raise Conflict("That version is a deletion.")
    attributes = attributes_of(revision["id"])
    return Draft(content=_content(revision), attributes=attributes, command=command, revives=False, repeats=True)


def alive(row: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Give a row back unless it is none or a tombstone.

    Raises:
        NotFound: it is.

    """
    if row is None or row.get("deleted"):
        raise NotFound("This equipment is not registered.")
    return row


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says: `{id, version, name, factoryId, lineId, location, changedAt, changedBy, deleted?}`."""
    return {**_entity(row), "changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


def equipment_changed(change: Change) -> Fact | None:
    """Tell of a revision: `equipment-created`, `-updated`, `-deleted`, `-undeleted`."""
    if change.new is None:
        return None
    return Fact(
        type=lifecycle(change, DISCRIMINATOR),
        timestamp=change.new["timestamp"],
        partition_key=change.new["id"],
        entity_name=DISCRIMINATOR,
        entity=_entity(change.new),
    )


def attributes_of(equipment_id: str) -> dict[str, Any]:
    """Give what stands on every row of the metadata besides what a revision says."""
    return {"discriminator": DISCRIMINATOR, "id": equipment_id}


def _content(source: Mapping[str, Any]) -> dict[str, Any]:
    return {name: source[name] for name in CONTENT}


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    entity = {name: row[name] for name in ("id", "version", *CONTENT)}
    return {**entity, "deleted": True} if row.get("deleted") else entity

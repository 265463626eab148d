"""The metadata of a piece of equipment: what it is and where it stands, one version after the other."""

from collections.abc import Mapping
from typing import Any

from contract import times
from contract.locations import board_sort_key
from patterns.change_data_capture import Change, Fact, lifecycle
from patterns.errors import Invalid
from patterns.optimistic_lock import Command, Draft
from services.equipment.tables import partition_of

DISCRIMINATOR = "equipment"

CONTENT = ("name", "factoryId", "lineId", "location")


def key_of(equipment_id: str) -> dict[str, str]:
    """Give the primary key of the current metadata."""
    return {"pk": partition_of(equipment_id), "sk": "Metadata"}


def register(equipment_id: str, content: Mapping[str, Any], command: Command) -> Draft:
    """Decide a revision of the metadata `{name, factoryId, lineId, location}`.

    Raises:
        Invalid: id and location together are too long for a sort key.

    """
    try:
        board_sort_key(content["location"], equipment_id)
    except ValueError as error:
        raise Invalid.field("body.location", str(error)) from error
    return Draft(
        key=key_of(equipment_id),
        content={name: content[name] for name in CONTENT},
        attributes={"discriminator": DISCRIMINATOR, "id": equipment_id},
        command=command,
    )


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says: `{id, version, name, factoryId, lineId, location, changedAt, changedBy}`."""
    return {**_entity(row), "changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


def equipment_changed(change: Change) -> Fact | None:
    """Tell of a revision: `equipment-created`, `equipment-updated`."""
    if change.new is None:
        return None
    return Fact(
        type=lifecycle(change, DISCRIMINATOR),
        timestamp=change.new["timestamp"],
        partition_key=change.new["id"],
        entity_name=DISCRIMINATOR,
        entity=_entity(change.new),
    )


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("id", "version", *CONTENT)}

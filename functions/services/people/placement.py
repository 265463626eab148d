"""The place of a person: the factory behind an id, for services that take ids of people. It says no name.

It is written in the transaction that writes the person, beside erasures, since the table of names has no stream.
"""

from typing import Final, Literal, TypedDict

from andon.dynamodb.client import Delete, Put
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.events.fact import fact_of_row
from andon.versions.also import Also
from andon.versions.optimistic_lock import Command
from contract.entities.people import PlacementEntity
from contract.people import PERSON_PLACED
from services.people.tables import ERASURE_KEYS, ERASURES

DISCRIMINATOR: Final = "placement"
PREFIX: Final = "Placed#"
"""No person's id has it: whoever erases the ids of the table again erases nobody by it."""


class PlacementRow(TypedDict):
    """The row of a placement, its key aside; `version`: the person's, `timestamp`: epoch milliseconds."""

    discriminator: Literal["placement"]
    person: str
    version: int
    factoryId: str
    timestamp: int
    changedBy: str


def placement(person_id: str, factory_id: str, command: Command) -> Also:
    """Return the write of a person's place, beside that of the person."""
    row: PlacementRow = {
        "discriminator": DISCRIMINATOR,
        "person": person_id,
        "version": command.next_version,
        "factoryId": factory_id,
        "timestamp": command.now_ms,
        "changedBy": command.actor,
    }
    # By its time, where the person's row was lost with a region and begins anew: placements come back from the lake.
    newer = Condition(
        "attribute_not_exists(#id) OR #version < :version OR #timestamp < :now",
        {name: name for name in ("id", "version", "timestamp")},
        {"version": command.next_version, "now": command.now_ms},
    )
    return Also(Put(ERASURES, {**_key_of(person_id), **row}, newer))


def no_place(person_id: str) -> Delete:
    """Return the write by which nothing is left of a place."""
    return Delete(ERASURES, _key_of(person_id), UNCONDITIONAL)


def entity_of(row: PlacementRow) -> PlacementEntity:
    """Return the entity of a placement."""
    return {"id": row["person"], "factoryId": row["factoryId"]}


fact_of: Final = fact_of_row(PERSON_PLACED, DISCRIMINATOR, partition="person", entity_of=entity_of)


def _key_of(person_id: str) -> dict[str, str | int]:
    return ERASURE_KEYS.of(f"{PREFIX}{person_id}")

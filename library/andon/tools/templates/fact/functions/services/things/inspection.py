"""Inspections: the note of the latest one, version by version. Pure, but for where their rows stand."""

from typing import Final, TypedDict

from andon.events.fact import fact_of_row
from andon.events.written import Written
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from services.things.tables import TABLE

DISCRIMINATOR: Final = "inspection"
INSPECTION_RECORDED: Final = "inspection-recorded"


class InspectionEntity(TypedDict):
    """The entity of its events; `about`: the id of the thing."""

    about: str
    note: str


class InspectionVersion(InspectionEntity):
    """A version in a response."""

    version: int


class InspectionRow(InspectionEntity, VersionedRow):
    """Its row."""

    discriminator: str


def versions_of(thing_id: str) -> Versions[InspectionRow]:
    """Return where its row stands; no earlier version is kept."""
    return Versions(table=TABLE, key=TABLE.keys.of(f"Inspection#{thing_id}"))


def record(thing_id: str, note: str, command: Command) -> Draft:
    """Decide what is noted."""
    attributes = {"about": thing_id, "discriminator": DISCRIMINATOR}
    return Draft(content={"note": note}, attributes=attributes, command=command)


def to_entity(row: InspectionRow) -> InspectionEntity:
    """Return a row for an event."""
    return {"about": row["about"], "note": row["note"]}


def to_response(row: InspectionRow) -> InspectionVersion:
    """Return a row for a response."""
    return {**to_entity(row), "version": row["version"]}


inspection_recorded: Final = fact_of_row(INSPECTION_RECORDED, DISCRIMINATOR, partition="about", entity_of=to_entity)


def token_of(row: InspectionRow) -> str:
    """Return the token of a write, for `?after=` of views."""
    return Written.of_row(row, inspection_recorded, {DISCRIMINATOR: ("about",)}, source="things").to_token()

"""The aggregate: where it is, version by version. Pure, but for where its row stands."""

from typing import Final, TypedDict

from andon.events.fact import fact_of_row
from andon.events.written import Written
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from services.things.tables import KEYS, TABLE

SOURCE: Final = "things"
DISCRIMINATOR: Final = "thing"
THING_MOVED: Final = "thing-moved"

NAMES: Final = {"thing": ("id",)}  # what tells it from others, in the token of a write


class ThingEntity(TypedDict):
    """The entity of its events."""

    id: str
    place: str


class ThingVersion(ThingEntity):
    """A version in a response."""

    version: int


class ThingRow(ThingEntity, VersionedRow):
    """Its row."""

    discriminator: str


def versions_of(thing_id: str) -> Versions[ThingRow]:
    """Return where its row stands; no earlier version is kept."""
    return Versions(table=TABLE, key=KEYS.of(thing_id))


def move(thing_id: str, place: str, command: Command) -> Draft:
    """Decide where it is."""
    attributes = {"id": thing_id, "discriminator": DISCRIMINATOR}
    return Draft(content={"place": place}, attributes=attributes, command=command)


def to_entity(row: ThingRow) -> ThingEntity:
    """Return a row for an event."""
    return {"id": row["id"], "place": row["place"]}


def to_response(row: ThingRow) -> ThingVersion:
    """Return a row for a response."""
    return {**to_entity(row), "version": row["version"]}


thing_moved: Final = fact_of_row(THING_MOVED, "thing", partition="id", entity_of=to_entity)


def token_of(row: ThingRow) -> str:
    """Return the token of a write, for `?after=` of views."""
    return Written.of_row(row, thing_moved, NAMES, source=SOURCE).to_token()

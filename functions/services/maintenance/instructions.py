"""Work instructions: what is to be done at a kind of maintenance of a machine, step by step.

They are numbered from the stream: whoever changes them names the version, the current ones are right at once, and the
trigger keeps each version a moment later. That is enough: people work by the current ones, and who looks up what was
said before does so days later.
"""

from collections.abc import Sequence
from typing import Final, NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.keys import sort_key
from andon.events.fact import fact_of_row
from andon.runtime.errors import NotFound
from andon.versions import numbered_versions
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Changed, Command, Draft, Saved, VersionedRow, changed
from andon.versions.versioned_write import Versions
from contract.entities.maintenance import InstructionsEntity
from services.maintenance.tables import TABLE, partition_of

INSTRUCTIONS_CHANGED: Final = "instructions-changed"

DISCRIMINATOR: Final = "instructions"
REVISION: Final = "instructions-revision"
KIND: Final = "Instructions"

MISSING: Final = "There are no such instructions."


class InstructionsMark(TypedDict):
    """The attributes of each row of instructions besides its revision."""

    discriminator: str
    equipmentId: str
    kind: str


class InstructionsRow(InstructionsMark, VersionedRow):
    """The current instructions, or a revision, its key aside; `latest`: on the current ones, their number."""

    steps: list[str]
    latest: NotRequired[int]


class InstructionsVersion(InstructionsEntity, Changed):
    """Instructions in a response."""


def instructions_of(equipment_id: str, kind: str) -> Numbered[InstructionsRow]:
    """Return the place of their versions: the current one beside the orders, each in a partition of the kind."""
    return Numbered(
        table=TABLE,
        partition=partition_of(equipment_id),
        name=sort_key(KIND, kind),
        apart=True,
        attributes=_mark_of(equipment_id, kind, REVISION),
    )


def write(equipment_id: str, kind: str, steps: Sequence[str], command: Command) -> Saved[InstructionsRow]:
    """Make steps the current instructions; the trigger keeps the version.

    Raises:
        Rejected: see `numbered_versions.save_current`.

    """
    draft = Draft(content={"steps": [*steps]}, attributes=_mark_of(equipment_id, kind, DISCRIMINATOR), command=command)
    return numbered_versions.save_current(instructions_of(equipment_id, kind), draft)


def get(equipment_id: str, kind: str) -> InstructionsRow:
    """Read the current instructions.

    Raises:
        NotFound: there are none.

    """
    row = _versions_of(equipment_id, kind).current()
    if row is None:
        raise NotFound(MISSING)
    return row


def get_version(equipment_id: str, kind: str, number: int) -> InstructionsRow:
    """Read a version; one that is not kept yet as long as it is the current one.

    Raises:
        NotFound: there is none, or it is not kept yet and was followed by another one.

    """
    versions = _versions_of(equipment_id, kind)
    kept = versions.revision(number)
    if kept is not None:
        return kept
    current = versions.current()
    if current is None or current["version"] != number:
        raise NotFound(MISSING)
    return current


def revisions_of(equipment_id: str, kind: str) -> KeyQuery:
    """Return the query of the versions that are kept, newest first; the current one may not be yet."""
    return instructions_of(equipment_id, kind).history()


def kept_revision(row: Item) -> tuple[Table, Item]:
    """Return the table and the row of the revision that current instructions are."""
    return TABLE, numbered_versions.revision_of(instructions_of(row["equipmentId"], row["kind"]), row)


def to_entity(row: InstructionsRow) -> InstructionsEntity:
    """Return the entity of a version."""
    return {
        "equipmentId": row["equipmentId"],
        "kind": row["kind"],
        "version": row["version"],
        "steps": row["steps"],
    }


def to_response(row: InstructionsRow) -> InstructionsVersion:
    """Return a version for a response."""
    return {**to_entity(row), **changed(row)}


def _versions_of(equipment_id: str, kind: str) -> Versions[InstructionsRow]:
    return numbered_versions.versions_of(instructions_of(equipment_id, kind))


def _mark_of(equipment_id: str, kind: str, discriminator: str) -> InstructionsMark:
    return {"discriminator": discriminator, "equipmentId": equipment_id, "kind": kind}


fact_of: Final = fact_of_row(INSTRUCTIONS_CHANGED, DISCRIMINATOR, partition="equipmentId", entity_of=to_entity)

"""The cause of an episode, also of one that is over.

An episode is named by its equipment and its beginning, so that no other service is asked for it.
"""

from typing import Final, NamedTuple

from andon.dynamodb.keys import sort_key
from andon.dynamodb.ttl import is_alive
from andon.events.fact import fact_of_row
from andon.runtime.errors import NotFound
from andon.runtime.json_types import all_members_of, members_of
from andon.versions.optimistic_lock import Changed, Command, Draft, VersionedRow, changed
from andon.versions.versioned_write import Versions
from contract import logs
from contract.calls import CAUSE_RECORDED
from contract.entities.calls import CauseBody, CauseEntity
from services.calls.places import EquipmentPlace
from services.calls.tables import KEYS, TABLE, partition_of

DISCRIMINATOR: Final = "cause"
MISSING: Final = "No cause is recorded of what began then."


class EpisodeKey(NamedTuple):
    """An episode; `started_at` is fixed-width UTC."""

    equipment_id: str
    started_at: str


class CauseRow(CauseEntity, VersionedRow):
    """The row of a cause, its key aside."""

    discriminator: str
    ttl: int


class CauseVersion(CauseEntity, Changed):
    """The cause of an episode; times are fixed-width UTC."""


def versions_of(episode: EpisodeKey) -> Versions[CauseRow]:
    """Return the place of an episode's cause; no earlier version is kept."""
    key = KEYS.of(partition_of(episode.equipment_id), sort_key(episode.started_at, DISCRIMINATOR))
    return Versions(table=TABLE, key=key)


def record(episode: EpisodeKey, said: CauseBody, place: EquipmentPlace, command: Command) -> Draft:
    """Decide the cause of an episode, or another one.

    Raises:
        Invalid: it began too long ago, or lies ahead.

    """
    ttl = logs.ttl_of(episode.started_at, now_ms=command.now_ms, field="path.startedAt")
    return Draft(
        content={**all_members_of(CauseBody, said)},
        attributes={
            "discriminator": DISCRIMINATOR,
            "equipmentId": episode.equipment_id,
            "startedAt": episode.started_at,
            "ttl": ttl,
            "factoryId": place["factoryId"],
        },
        command=command,
    )


def get(episode: EpisodeKey, *, now_ms: int) -> CauseRow:
    """Read the cause of an episode.

    Raises:
        NotFound: none is recorded.

    """
    row = versions_of(episode).current()
    if row is None or not is_alive(row, now_ms):
        raise NotFound(MISSING)
    return row


def to_entity(row: CauseRow) -> CauseEntity:
    """Return a row for an event."""
    return members_of(CauseEntity, row)


def to_response(row: CauseRow) -> CauseVersion:
    """Return a row for a response."""
    return {**to_entity(row), **changed(row)}


fact_of: Final = fact_of_row(CAUSE_RECORDED, DISCRIMINATOR, partition="equipmentId", entity_of=to_entity)

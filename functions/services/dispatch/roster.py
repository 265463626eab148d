"""Rosters: the operators of a factory, to whom abnormal logs are assigned, its supervisor, and their shifts."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, Literal

from andon.events.fact import fact_of_row
from andon.runtime.json_types import members_of
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from contract.duty import Roster
from contract.entities.duty import RosterEntity
from services.dispatch.fact_types import ROSTER_CHANGED
from services.dispatch.tables import KEYS, TABLE, factory_partition_of

DISCRIMINATOR: Final = "roster"


class RosterRow(RosterEntity, VersionedRow):
    """The row of a roster, its primary key aside."""

    discriminator: Literal["roster"]


ErasedAmong = Callable[[Iterable[str]], Collection[str]]
"""Some people -> those of them who were erased."""


def on_duty(roster: Roster, equipment_id: str, erased_among: ErasedAmong) -> Roster | None:
    """Return the roster for a piece of equipment without the erased whom it would choose; None: nobody is left.

    The others are asked for only if that operator was erased, or if they may be on duty at another time: no more people
    are looked up than are needed.
    """
    if roster.is_by_time:
        return if_any(roster.without(erased_among(roster.people)))
    first = roster.operator_for(equipment_id)
    chosen = [person for person in (first, roster.supervisor, roster.manager) if person is not None]
    gone = {*erased_among(chosen)}
    if first in gone:
        gone |= {*erased_among([operator for operator in roster.operators if operator not in chosen])}
    return if_any(roster.without(gone))


def if_any(left: Roster) -> Roster | None:
    """Return a roster, None if it names nobody."""
    return left if left.people else None


def key_of(factory_id: str) -> dict[str, str | int]:
    """Return the primary key of a factory's roster."""
    return KEYS.of(factory_partition_of(factory_id), DISCRIMINATOR)


def versions_of(factory_id: str) -> Versions[RosterRow]:
    """Return the place of a factory's roster."""
    return Versions(table=TABLE, key=key_of(factory_id))


def write(factory_id: str, content: Mapping[str, object], command: Command) -> Draft:
    """Decide the roster of a factory; content: its members, as a request has them."""
    return Draft(
        content={"factoryId": factory_id, **content}, attributes={"discriminator": DISCRIMINATOR}, command=command
    )


def to_response(row: RosterRow) -> RosterEntity:
    """Return a row for a response or for the event."""
    return members_of(RosterEntity, row)


fact_of: Final = fact_of_row(ROSTER_CHANGED, DISCRIMINATOR, partition="factoryId", entity_of=to_response)

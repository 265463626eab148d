"""Rosters: the operators of a factory, to whom abnormal logs are assigned, its supervisor, and their shifts."""

from collections.abc import Callable, Collection, Iterable
from typing import Final, Literal

from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.duty import Roster
from contract.entities.duty import RosterEntity
from services.dispatch.fact_types import ROSTER_CHANGED, SOURCE
from services.dispatch.tables import KEYS, TABLE, factory_partition_of


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


ROSTERS: "Final[CurrentResource[RosterRow, RosterEntity]]" = CurrentResource(
    service=SOURCE,
    kind="roster",
    content=RosterEntity,
    entity=RosterEntity,
    id=("factoryId",),
    counted_as="",
    table=TABLE,
    key_of=lambda factory_id: KEYS.of(factory_partition_of(factory_id), "roster"),
    fact=ROSTER_CHANGED,
    missing="This factory has no roster.",
)

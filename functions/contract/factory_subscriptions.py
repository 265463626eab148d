"""Subscriptions by which services keep the place of a piece of equipment, see `factories.py`."""

from collections.abc import Callable, Mapping
from typing import Final

from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic
from andon.views.keep import keep
from andon.views.view_update import ViewUpdate
from contract import factories
from contract.entities.equipment import PieceEntity
from contract.locations import levels_in, location_in, location_of

OPLOCK: Final = "equipment"


def _company_of(equipment: Entity) -> str:
    of = location_of(levels_in(equipment)) if equipment.name == "machine" else location_in(equipment)
    return of["company"]


COMPANY: Final = "company"

WHEREABOUTS: Final = ("factoryId", "lineId", COMPANY, "ownedSince")
FACTORY_ALONE: Final = ("factoryId",)


def kept(
    keys: Keys, partition_of: Callable[[str], str], names: tuple[str, ...] = FACTORY_ALONE
) -> Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]:
    """Return the subscriptions that keep it, by the events of both services, in the order of their edits.

    names: the members that are kept, and `company`; of equipment that was deleted, none.
    """
    also = tuple(name for name in names if name == COMPANY)
    members = keep(PieceEntity, also=also, **{name: name for name in names if name != COMPANY})

    def update(equipment: Entity, origin: str) -> ViewUpdate:
        fields = members.of(equipment, lambda: {name: _company_of(equipment) for name in also})
        key = factories.key_of(keys, partition_of(equipment.text("id")))
        return ViewUpdate(key=key, fields=fields, oplock=OPLOCK, origin=origin)

    def on_equipment_changed(event: DomainEvent) -> ViewUpdate:
        """Keep where it is."""
        return update(event.entity("equipment"), "equipment")

    def on_machine_changed(event: DomainEvent) -> ViewUpdate:
        """Keep where it is."""
        return update(event.entity("machine"), "equipment2")

    return {
        ("equipment", "equipment-created"): on_equipment_changed,
        ("equipment", "equipment-updated"): on_equipment_changed,
        ("equipment", "equipment-deleted"): on_equipment_changed,
        ("equipment", "equipment-undeleted"): on_equipment_changed,
        ("equipment2", "machine-created"): on_machine_changed,
        ("equipment2", "machine-updated"): on_machine_changed,
        ("equipment2", "machine-deleted"): on_machine_changed,
        ("equipment2", "machine-undeleted"): on_machine_changed,
    }

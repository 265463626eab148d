"""The place of a piece of equipment, as services keep it that do not own it: a row in the equipment's partition."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic
from andon.views.view_update import ViewUpdate
from contract.locations import levels_in, location_in, location_of

OPLOCK: Final = "equipment"


def key_of(keys: Keys, partition: str) -> dict[str, str | int]:
    """Return the primary key of the row."""
    return keys.of(partition, "equipment")


def factory_of(row: Item | None) -> str | None:
    """Return the `factoryId` of a row; None: it is unknown, or the equipment was deleted."""
    factory_id: str | None = None if row is None else row.get("factoryId")
    return factory_id


class Place(NamedTuple):
    """The factory and the line of a piece of equipment, and its name; None: it is not known yet."""

    factory_id: str
    line_id: str | None
    name: str | None


def place_of(row: Item | None) -> Place | None:
    """Return the place in a row that was kept with `PLACE`; None: it is unknown, or the equipment was deleted."""
    factory_id = factory_of(row)
    return None if row is None or factory_id is None else Place(factory_id, row.get("lineId"), row.get("name"))


def _company_of(equipment: Entity) -> str:
    of = location_of(levels_in(equipment)) if equipment.name == "machine" else location_in(equipment)
    return of["company"]


FIELDS: Final[Mapping[str, Callable[[Entity], str | None]]] = {
    "factoryId": lambda equipment: equipment.text("factoryId"),
    "lineId": lambda equipment: equipment.text("lineId"),
    "company": _company_of,
    "name": lambda equipment: equipment.optional_text("name"),
}
WHEREABOUTS: Final = ("factoryId", "lineId", "company")
PLACE: Final = ("factoryId", "lineId", "name")
"""What `place_of` reads."""
FACTORY_ALONE: Final = ("factoryId",)


def kept(
    keys: Keys, partition_of: Callable[[str], str], names: tuple[str, ...] = FACTORY_ALONE
) -> Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]:
    """Return the subscriptions that keep it, by the events of both services, in the order of their edits.

    names: those of `FIELDS` that are kept; of equipment that was deleted, none.
    """

    def update(equipment: Entity, origin: str) -> ViewUpdate:
        is_gone = equipment.get("deleted") is True
        fields = {name: None if is_gone else FIELDS[name](equipment) for name in names}
        key = key_of(keys, partition_of(equipment.text("id")))
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

"""The factory of a piece of equipment, as services keep it that do not own it: a row in the equipment's partition."""

from collections.abc import Callable, Mapping
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic
from andon.views.view_update import ViewUpdate

OPLOCK: Final = "equipment"


def key_of(keys: Keys, partition: str) -> dict[str, str | int]:
    """Return the primary key of the row."""
    return keys.of(partition, "equipment")


def factory_of(row: Item | None) -> str | None:
    """Return the `factoryId` of a row; None: it is unknown, or the equipment was deleted."""
    factory_id: str | None = None if row is None else row.get("factoryId")
    return factory_id


def kept(keys: Keys, partition_of: Callable[[str], str]) -> Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]:
    """Return the subscriptions that keep it, by the events of both services, in the order of their edits."""

    def update(equipment: Entity, origin: str) -> ViewUpdate:
        factory_id = None if equipment.get("deleted") is True else equipment.text("factoryId")
        key = key_of(keys, partition_of(equipment.text("id")))
        return ViewUpdate(key=key, fields={"factoryId": factory_id}, oplock=OPLOCK, origin=origin)

    def on_equipment_changed(event: DomainEvent) -> ViewUpdate:
        """Keep which factory it is in."""
        return update(event.entity("equipment"), "equipment")

    def on_machine_changed(event: DomainEvent) -> ViewUpdate:
        """Keep which factory it is in."""
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

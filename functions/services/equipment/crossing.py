"""equipment2's machines -> equipment."""

from typing import cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.sync.crossing import Content, Crossing
from andon.versions.versioned_write import Versions
from contract.entities import MachineEntity
from contract.locations import levels_in
from services.equipment import metadata
from services.equipment.mapping import from_theirs


def machine_in(event: DomainEvent) -> MachineEntity:
    """Return the machine that an event says.

    Raises:
        Poison, ValueError: it says none.

    """
    machine = event.entity("machine")
    machine.text("id"), machine.text("name"), machine.text("factoryId"), machine.text("lineId")
    levels_in(machine)
    if "validFrom" in machine.fields:
        times.require_fixed(machine.text("validFrom"))
    return cast("MachineEntity", machine.fields)


def _versions_of(event: DomainEvent) -> Versions:
    return metadata.versions_of(machine_in(event)["id"])


def _content(event: DomainEvent, upon: Item | None) -> Content:  # noqa: ARG001  a machine says all that equipment does
    said = from_theirs(machine_in(event))
    deleted = said.get("deleted") is True
    ttl = {"ttl": ttl_at(event.timestamp_ms, metadata.TOMBSTONE_DAYS)} if deleted else {}
    attributes = {**metadata.mark_of(said["id"]), **ttl}
    return Content(metadata.content_in_entity(said), attributes, deleted=deleted)


CROSSING = Crossing(own="equipment", theirs="equipment2", versions_of=_versions_of, from_theirs=_content)

"""What equipment subscribes to: the edits that are made in equipment2."""

from typing import Final

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.ttl import ttl_at
from patterns.events.domain_event import DomainEvent
from patterns.sync.crossing import Content, Crossing
from patterns.versions.versioned_write import Versions
from patterns.views.row_write import Subscriptions
from services.equipment import mapping, metadata

THEIRS: Final = "equipment2"


def versions_of(event: DomainEvent) -> Versions:
    """Return where the versions of a machine are kept here."""
    return metadata.versions_of(event.entity("machine").text("id"))


def from_theirs(event: DomainEvent, row: Item | None) -> Content:  # noqa: ARG001  nothing is kept of it
    """Return what an edit makes of the current row."""
    machine = event.entity("machine")
    deleted = machine.get("deleted") is True
    ttl = {"ttl": ttl_at(event.timestamp_ms, metadata.TOMBSTONE_DAYS)} if deleted else {}
    attributes = {**metadata.mark_of(machine.text("id")), **ttl}
    return Content(mapping.from_theirs(machine), attributes, deleted=deleted)


MACHINES: Final = Crossing(own="equipment", theirs=THEIRS, versions_of=versions_of, from_theirs=from_theirs)

ON: Subscriptions = {  # (source, type) -> what equipment keeps of it
    (THEIRS, "machine-created"): MACHINES,
    (THEIRS, "machine-updated"): MACHINES,
    (THEIRS, "machine-deleted"): MACHINES,
    (THEIRS, "machine-undeleted"): MACHINES,
}

"""Subscriptions of dispatch: reports for its rules, the factory of equipment, dispatch2's assignments, erasures."""

from andon.events.domain_event import DomainEvent, Entity
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.row_write import Subscriptions
from andon.views.view_update import ViewUpdate
from contract import old_shapes, reports
from contract.reports import REPORTED, SOURCE
from services.dispatch import erased, whereabouts
from services.dispatch.crossing import CREW_ASSIGNED, CROSSING
from services.dispatch.limits import SILENT_AFTER_MS
from services.dispatch.tables import partition_of


def on_state_reported(event: DomainEvent) -> Collected:
    """Store a report under its equipment."""
    return reports.collected(event, key_of=partition_of, gap_ms=SILENT_AFTER_MS)


def on_equipment_changed(event: DomainEvent) -> ViewUpdate:
    """Keep which factory it is in."""
    return _whereabouts(event.entity("equipment"), origin="equipment")


def on_machine_changed(event: DomainEvent) -> ViewUpdate:
    """Keep which factory it is in."""
    return _whereabouts(event.entity("machine"), origin="equipment2")


def on_person_erased(event: DomainEvent) -> ViewUpdate:
    """Mark a person for good: a roster may name them long afterwards."""
    person = event.entity("person")
    mark = {"erasedAt": person.text("erasedAt")}
    return ViewUpdate(key=erased.key_of(person.text("id")), fields=mark, oplock="erased")


def _whereabouts(equipment: Entity, *, origin: str) -> ViewUpdate:
    """Return the update for equipment by an event of either service, in the order of their edits."""
    factory_id = None if equipment.get("deleted") is True else equipment.text("factoryId")
    key = whereabouts.key_of(partition_of(equipment.text("id")))
    return ViewUpdate(key=key, fields={"factoryId": factory_id}, oplock="equipment", origin=origin)


ON: Subscriptions = {  # (source, type) -> what dispatch keeps of it
    REPORTED: on_state_reported,
    CREW_ASSIGNED: CROSSING,
    ("people", "person-erased"): on_person_erased,
    (SOURCE, "equipment-created"): on_equipment_changed,
    (SOURCE, "equipment-updated"): on_equipment_changed,
    (SOURCE, "equipment-deleted"): on_equipment_changed,
    (SOURCE, "equipment-undeleted"): on_equipment_changed,
    ("equipment2", "machine-created"): on_machine_changed,
    ("equipment2", "machine-updated"): on_machine_changed,
    ("equipment2", "machine-deleted"): on_machine_changed,
    ("equipment2", "machine-undeleted"): on_machine_changed,
}

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    REPORTED: (old_shapes.state_reported_v0,),
}

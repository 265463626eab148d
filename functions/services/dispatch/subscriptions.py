"""Subscriptions of dispatch: reports, calls, places of equipment and people, dispatch2's assignments, erasures."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.view_update import Subscriptions, ViewUpdate
from contract import calls as calls_of_people
from contract import directory, factories, factory_subscriptions, old_shapes, reports
from contract.reports import REPORTED
from services.dispatch import calls, erased
from services.dispatch.crossing import CREW_ASSIGNED, CROSSING
from services.dispatch.limits import SILENT_AFTER_MS
from services.dispatch.tables import KEYS, partition_of


def on_state_reported(event: DomainEvent) -> Collected:
    """Store a report under its equipment."""
    return reports.collected(event, key_of=partition_of, gap_ms=SILENT_AFTER_MS)


def on_person_erased(event: DomainEvent) -> ViewUpdate:
    """Mark a person for good: a roster may name them long afterwards."""
    person = event.entity("person")
    mark = {"erasedAt": person.text("erasedAt")}
    return ViewUpdate(key=erased.key_of(person.text("id")), fields=mark, oplock="erased")


ON: Subscriptions = {  # (source, type) -> what dispatch keeps of it
    REPORTED: on_state_reported,
    CREW_ASSIGNED: CROSSING,
    ("people", "person-erased"): on_person_erased,
    **dict.fromkeys(calls_of_people.TOPICS, calls.collected),
    **directory.kept(KEYS),
    **factory_subscriptions.kept(KEYS, partition_of, factories.PLACE),
}

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    REPORTED: (old_shapes.state_reported_v0,),
}

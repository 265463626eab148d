"""Rows of an expired episode, rehydrated: its events in the micro event store. Pure.

They come back latched: no rule decides upon them again, and none looks at them.
"""

from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.views.restored_row import RestoredRow
from andon.views.view_update import Subscriptions
from contract import logs
from contract.reports import REPORTED
from services.dispatch import subscriptions
from services.dispatch.crossing import CREW_ASSIGNED, crew_in
from services.dispatch.fact_types import ENTITY_OF, OPERATOR_ASSIGNED
from services.dispatch.mapping import from_theirs
from services.dispatch.responsibility import ASSIGNMENT
from services.dispatch.tables import KEYS, partition_of

SOURCE = "dispatch"


def on_report(event: DomainEvent) -> RestoredRow:
    """Bring back a report."""
    return _restored(subscriptions.on_state_reported(event), event)


def on_fact(event: DomainEvent) -> RestoredRow:
    """Rehydrate a fact about a report."""
    key = partition_of(event.partition_key)
    return _restored(Collected.of(event, key=key, source=SOURCE, ttl_days=logs.TTL_DAYS), event)


def on_crew_assigned(event: DomainEvent) -> RestoredRow:
    """Rehydrate an assignment by dispatch2, in dispatch's own terms."""
    assigned = from_theirs(crew_in(event))
    return on_fact(event._replace(type=OPERATOR_ASSIGNED, entities={ASSIGNMENT.discriminator: assigned}))


def _restored(collected: Collected, event: DomainEvent) -> RestoredRow:
    stored = collected.stored(event, arrived_ms=event.timestamp_ms)
    return RestoredRow(keys=KEYS, row=stored.row(KEYS), expires_at=stored.ttl)


ON: Subscriptions = {
    REPORTED: on_report,
    **{(SOURCE, event_type): on_fact for event_type in ENTITY_OF},
    CREW_ASSIGNED: on_crew_assigned,
}

UPCASTERS = subscriptions.UPCASTERS

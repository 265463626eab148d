"""Subscriptions of notify: dispatch's requests for help, acknowledgements, ends, erasures."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.view_update import Subscriptions
from contract import calls
from services.notify import about
from services.notify.erased import Erasure
from services.notify.tables import TTL_DAYS, partition_of

SOURCE = "dispatch"


def on_help_requested(event: DomainEvent) -> Collected:
    """Store it beside the other requests to the person."""
    key = partition_of(event.entity("help").text("person"))
    return Collected.of(event, key=key, source=SOURCE, ttl_days=TTL_DAYS)


def on_state_acknowledged(event: DomainEvent) -> Collected:
    """Store that a log was seen: nobody has to be told of it any more."""
    return Collected.of(event, key=about.log_seen_in(event), source=SOURCE, ttl_days=TTL_DAYS)


def on_call_seen(event: DomainEvent) -> Collected:
    """Store that a call was taken, or is over."""
    return Collected.of(event, key=about.call_seen_in(event), source=calls.SOURCE, ttl_days=TTL_DAYS)


def on_equipment_better(event: DomainEvent) -> Collected:
    """Store that trouble of a machine is over, beside the webhook tellings of it."""
    key = about.equipment_partition_of(event.entity(about.ENTITY_OF[event.type]).text("equipmentId"))
    return Collected.of(event, key=key, source=SOURCE, ttl_days=TTL_DAYS)


def on_person_erased(event: DomainEvent) -> Erasure:
    """Erase the addresses of a person; untold requests to them are told nobody."""
    return Erasure(event.entity("person").text("id"))


ON: Subscriptions = {  # (source, type) -> what notify keeps of it
    (SOURCE, "help-requested"): on_help_requested,
    (SOURCE, "state-acknowledged"): on_state_acknowledged,
    **dict.fromkeys(((SOURCE, about.TROUBLE_ENDED), (SOURCE, about.EQUIPMENT_BACK)), on_equipment_better),
    ("people", "person-erased"): on_person_erased,
    **{(calls.SOURCE, event_type): on_call_seen for event_type in sorted(calls.ATTENDED)},
}

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's

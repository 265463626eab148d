"""Updates of state_log by event: AWS's device-state-log, joined from three facts. Pure."""

from andon.dynamodb.client import Table
from andon.dynamodb.keys import sort_key
from andon.dynamodb.schema import Index, Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.upcast import Upcasters
from andon.runtime import times
from andon.views.view_update import On, ViewUpdate
from contract import logs, names, old_shapes
from views.state_log.row import LogFields

TTL_DAYS = logs.TTL_DAYS

KEYS = Keys("DeviceID", "State#Date", one_partition_per="entity")
BY_OPERATOR = Keys("Operator", "Date", one_partition_per="entity")
BY_SUPERVISOR = Keys("EscalatedTo", "State#Date", one_partition_per="entity")
# Not a local index: that would cap a device's collection at 10 GB for ever.
BY_DATE = Keys("DeviceID", "Date", one_partition_per="entity")

INDEXES = {"GSI1": Index(BY_OPERATOR), "GSI2": Index(BY_SUPERVISOR), "GSI3": Index(BY_DATE, steady=True)}

TABLE = Table("STATE_LOG_TABLE", KEYS)
GRANTS = {
    "query": {
        "STATE_LOG_TABLE": ("GetItem", "Query"),
        **{f"STATE_LOG_TABLE/{index}": ("Query",) for index in INDEXES},
    }
}
STEADY = True


def on_state_reported(event: DomainEvent) -> ViewUpdate:
    """Keep that the log exists, and its detail."""
    state = event.entity("state")
    return _update(event, state, "reported", {"Detail": state.optional_text("detail")})


def on_operator_assigned(event: DomainEvent) -> ViewUpdate:
    """Keep the operator of the log."""
    assignment = event.entity("assignment")
    return _update(event, assignment, "assigned", {"Operator": assignment.text("operator")}, origin="dispatch")


def on_crew_assigned(event: DomainEvent) -> ViewUpdate:
    """Keep the lead of the log's crew, as its operator."""
    crew = event.entity("crew")
    return _update(event, crew, "assigned", {"Operator": crew.text("lead")}, origin="dispatch2")


def on_state_escalated(event: DomainEvent) -> ViewUpdate:
    """Keep the supervisor that the log was escalated to."""
    escalation = event.entity("escalation")
    return _update(event, escalation, "escalated", {"EscalatedTo": escalation.text("supervisor")})


def _update(event: DomainEvent, log: Entity, oplock: str, fields: LogFields, *, origin: str = "") -> ViewUpdate:
    state, date = names.state(log.text("state")), times.require_known(log.text("timestamp"), at_ms=event.timestamp_ms)
    return ViewUpdate(
        key=KEYS.of(log.text("equipmentId"), sort_key(state, date)),
        key_fields={"State": state, "Date": date},
        fields=fields,
        oplock=oplock,
        origin=origin,
    )


ON: On = {  # (source, type) -> what the view keeps of it
    ("equipment", "state-reported"): on_state_reported,
    ("dispatch", "operator-assigned"): on_operator_assigned,
    ("dispatch2", "crew-assigned"): on_crew_assigned,
    ("dispatch", "state-escalated"): on_state_escalated,
}

RESTORED = ON  # what comes back of expired logs: all that the view keeps

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    ("equipment", "state-reported"): (old_shapes.state_reported_v0,),
}

"""What anomalies subscribes to: reports."""

from typing import Final

from contract import logs, names, old_shapes, times
from patterns.events.domain_event import DomainEvent
from patterns.events.upcast import Upcasters
from patterns.rules.collect import Collected
from patterns.views.row_write import Subscriptions
from services.anomalies.tables import partition_of

SOURCE: Final = "equipment"
STATE_REPORTED: Final = "state-reported"
REPORTED: Final = (SOURCE, STATE_REPORTED)


def on_state_reported(event: DomainEvent) -> Collected:
    """Store a report once, whichever event ids it is published under: equipment, time and state identify it."""
    report = event.entity("state")
    state = names.state(report.text("state"))
    times.require_fixed(report.text("timestamp"))
    return Collected.of(
        event,
        key=partition_of(report.text("equipmentId")),
        source=SOURCE,
        ttl_days=logs.TTL_DAYS,
        identity=state,
    )


ON: Subscriptions = {REPORTED: on_state_reported}  # (source, type) -> what anomalies keeps of it

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    REPORTED: (old_shapes.state_reported_v0,),
}

"""Subscriptions of anomalies: reports."""

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.rules.collect import Collected
from andon.views.view_update import Subscriptions
from contract import old_shapes, reports
from contract.reports import REPORTED
from services.anomalies.tables import partition_of


def on_state_reported(event: DomainEvent) -> Collected:
    """Store a report under its equipment."""
    return reports.collected(event, key_of=partition_of)


ON: Subscriptions = {REPORTED: on_state_reported}  # (source, type) -> what anomalies keeps of it

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    REPORTED: (old_shapes.state_reported_v0,),
}

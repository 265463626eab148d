"""Reports, as the rules of anomalies see them; the listener has let nothing else in."""

from andon.events.domain_event import DomainEvent
from services.anomalies.tables import partition_of


def state_in(report: DomainEvent) -> str:
    """Return the state that was reported."""
    return report.entity("state").text("state")


def time_in(report: DomainEvent) -> str:
    """Return the time of a report, fixed-width UTC."""
    return report.entity("state").text("timestamp")


def partition_in(report: DomainEvent) -> str:
    """Return the partition of the equipment, which is the key that its reports correlate by."""
    return partition_of(report.entity("state").text("equipmentId"))

"""What dispatch's rules say of events: which are reports, and which of those are abnormal."""

from collections.abc import Iterable

from contract.names import NORMAL
from patterns.events.domain_event import DomainEvent
from services.dispatch.responsibility import Log, log_of
from services.dispatch.tables import partition_of

REPORTED = ("equipment", "state-reported")

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


def is_report(event: DomainEvent) -> bool:
    """Tell whether equipment told its state."""
    return event.type == "state-reported"


def is_normal(event: DomainEvent) -> bool:
    """Tell whether equipment reported that it is well."""
    return is_report(event) and event.entity("state").get("state") == NORMAL


def is_abnormal(event: DomainEvent) -> bool:
    """Tell whether equipment reported anything else."""
    return is_report(event) and not is_normal(event)


def reports_in(events: Iterable[DomainEvent]) -> list[DomainEvent]:
    """Leave out what is no report."""
    return [event for event in events if is_report(event)]


def log_in(report: DomainEvent) -> Log:
    """Name the log that a report is."""
    state = report.entity("state")
    return log_of(state.text("equipmentId"), state.text("state"), state.text("timestamp"))


def time_in(report: DomainEvent) -> str:
    """Tell the time of a report, fixed-width UTC."""
    return report.entity("state").text("timestamp")


def equipment_in(event: DomainEvent) -> str:
    """Tell by what the events of a piece of equipment correlate: the partition they are in."""
    return partition_of(event.entity("state").text("equipmentId"))

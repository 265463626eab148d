"""Reports, as dispatch's rules see them: which events are reports, and which of those are abnormal."""

from collections.abc import Iterable

from contract.entities import LogRef
from contract.names import NORMAL
from patterns.events.domain_event import DomainEvent
from services.dispatch.responsibility import log_of
from services.dispatch.subscriptions import STATE_REPORTED
from services.dispatch.tables import partition_of

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


def is_report(event: DomainEvent) -> bool:
    """Whether equipment reported its state."""
    return event.type == STATE_REPORTED


def is_normal(event: DomainEvent) -> bool:
    """Whether equipment reported the normal state."""
    return is_report(event) and event.entity("state").get("state") == NORMAL


def is_abnormal(event: DomainEvent) -> bool:
    """Whether equipment reported any other state."""
    return is_report(event) and not is_normal(event)


def reports_in(events: Iterable[DomainEvent]) -> list[DomainEvent]:
    """Return the reports among events."""
    return [event for event in events if is_report(event)]


def log_in(report: DomainEvent) -> LogRef:
    """Return the natural key of the log that a report is."""
    state = report.entity("state")
    return log_of(state.text("equipmentId"), state.text("state"), state.text("timestamp"))


def time_in(report: DomainEvent) -> str:
    """Return the time of a report, fixed-width UTC."""
    return report.entity("state").text("timestamp")


def equipment_in(event: DomainEvent) -> str:
    """Return the key that the events of a piece of equipment correlate by: its partition."""
    return partition_of(event.entity("state").text("equipmentId"))

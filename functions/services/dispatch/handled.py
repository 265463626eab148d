"""Known progress on a trouble: it is over, somebody has seen it, somebody is on it. Pure."""

from collections.abc import Iterator

from andon.events.domain_event import DomainEvent
from andon.rules.rule import History
from andon.runtime import times
from contract import calls
from contract.chains import SILENT
from contract.entities.alerts import TroubleRef
from contract.entities.logs import LogRef
from services.dispatch.fact_types import OPERATOR_ASSIGNED, STATE_ACKNOWLEDGED
from services.dispatch.reports import entity_in, is_abnormal, is_normal, log_in, reports_in, time_in


def is_over(history: History, log: TroubleRef) -> bool:
    """Return True if nobody is to be asked about a trouble any more: it went back to normal, or somebody has seen it.

    A machine that was silent is not any more once it has reported anything.
    """
    if (call_id := log.get("callId")) is not None:
        return _is_taken(history, call_id)
    later = [report for report in _reports(history) if time_in(report) > log["timestamp"]]
    ends = bool(later) if log["state"] == SILENT else any(map(is_normal, later))
    return ends or _is_acknowledged(history, log)


def _is_taken(history: History, call_id: str) -> bool:
    """Return True if a call was taken, closed or rejected: somebody has seen it."""
    return any(event.type in calls.ATTENDED and calls.call_in(event).text("id") == call_id for event in history.events)


def assigned_to(history: History, log: LogRef) -> str | None:
    """Return the last operator assigned to a log of its episode; None: nobody was."""
    logs = logs_of_episode(history, log)
    assigned = [event for event in history.events if event.type == OPERATOR_ASSIGNED and log_in(event) in logs]
    return entity_in(assigned[-1]).text("operator") if assigned else None


def logs_of_episode(history: History, log: LogRef) -> list[LogRef]:
    """Return a log, and the others of its episode: those around it with no normal report in between."""
    return [log, *_beside(history, log)]


def _beside(history: History, log: LogRef) -> Iterator[LogRef]:
    if log["state"] == SILENT:
        return
    reports = _reports(history)
    normal = [time_in(report) for report in reports if is_normal(report)]
    began = max((time for time in normal if time <= log["timestamp"]), default="")
    ended = min((time for time in normal if time > log["timestamp"]), default=None)
    for report in filter(is_abnormal, reports):
        if began < time_in(report) and (ended is None or time_in(report) < ended):
            yield log_in(report)


def _is_acknowledged(history: History, log: LogRef) -> bool:
    """Return True if a log of the episode was acknowledged since; one that nobody reported belongs to none."""
    logs, since_ms = logs_of_episode(history, log), times.to_ms(log["timestamp"])
    return any(
        event.type == STATE_ACKNOWLEDGED and event.timestamp_ms >= since_ms and log_in(event) in logs
        for event in history.events
    )


def _reports(history: History) -> list[DomainEvent]:
    return reports_in(history.events if history.before is None else (history.before, *history.events))

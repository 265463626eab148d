"""Calls of people, as dispatch's rules see them: they lie apart from the reports of the equipment."""

from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.rules.rule import History
from andon.runtime import times
from contract import calls, logs, names
from contract.chains import CALL
from contract.entities import TroubleRef
from contract.log_rows import log_of
from services.dispatch.reports import trouble_of
from services.dispatch.tables import calls_partition_of


def collected(event: DomainEvent) -> Collected:
    """Store what became of a call.

    Raises:
        Poison: it does not say which call it is, and for what.
        ValueError: its category is none, or its time is not fixed-width UTC.

    """
    call = calls.call_in(event)
    names.call_name(call.text("category"))
    times.require_fixed(call.text("raisedAt"))
    call.text("id")
    partition = calls_partition_of(call.text("equipmentId"))
    return Collected.of(event, key=partition, source=calls.SOURCE, ttl_days=logs.TTL_DAYS)


def trouble_in(event: DomainEvent) -> TroubleRef:
    """Return the trouble that a call is."""
    call = calls.call_in(event)
    as_log = log_of(call.text("equipmentId"), f"{CALL}{call.text('category')}", call.text("raisedAt"))
    return trouble_of(as_log, call.text("id"))


def partition_in(event: DomainEvent) -> str:
    """Return the partition of the calls at the equipment of a call, which is the key that they correlate by."""
    return calls_partition_of(calls.call_in(event).text("equipmentId"))


def is_taken(history: History, call_id: str) -> bool:
    """Return True if a call was taken, closed or rejected: somebody has seen it."""
    return any(event.type in calls.SEEN and calls.call_in(event).text("id") == call_id for event in history.events)

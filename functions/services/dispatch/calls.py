"""Calls of people, as dispatch stores them: they lie apart from the reports of the equipment."""

from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.runtime import times
from contract import calls, logs, names
from services.dispatch.tables import calls_partition_of


def collected(event: DomainEvent) -> Collected:
    """Store a fact of a call.

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

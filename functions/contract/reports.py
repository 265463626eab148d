"""Reports of equipment, as every control service stores them for its rules to look at."""

from collections.abc import Callable
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.rules.stored_event import CorrelationKey
from andon.runtime import times
from contract import logs, names

SOURCE: Final = "equipment"
STATE_REPORTED: Final = "state-reported"
REPORTED: Final = (SOURCE, STATE_REPORTED)


def collected(event: DomainEvent, *, key_of: Callable[[str], CorrelationKey], gap_ms: int | None = None) -> Collected:
    """Store a report once, whichever event ids it is published under: equipment, time and state identify it.

    key_of: the id of equipment -> the key by which a service correlates its events. gap_ms: see `Collected`.

    Raises:
        Poison: it says no equipment, state or time.
        ValueError: its state is none, or its time is not fixed-width UTC.

    """
    report = event.entity("state")
    state = names.state(report.text("state"))
    times.require_fixed(report.text("timestamp"))
    return Collected.of(
        event,
        key=key_of(report.text("equipmentId")),
        source=SOURCE,
        ttl_days=logs.TTL_DAYS,
        identity=state,
        gap_ms=gap_ms,
    )

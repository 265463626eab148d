"""The rule that somebody calls for help: chains begin on the category of the call, unless somebody has seen it.

It is evaluated when the call arrives, however late that is: a machine in trouble reports again, a person waits.
"""

from collections.abc import Iterable
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AtOnce
from andon.runtime.clock import MINUTE_MS
from contract import calls
from contract.calls import RAISED, SOURCE
from contract.chains import CALL
from contract.entities.alerts import TroubleRef
from contract.log_rows import log_of
from services.dispatch.beginning import askings_about, begin
from services.dispatch.fact_types import HELP_REQUESTED, NOBODY_FOUND, TROUBLE_OPENED
from services.dispatch.handled import is_over
from services.dispatch.known import has_chains, known_in
from services.dispatch.reports import trouble_of
from services.dispatch.tables import calls_partition_of

WINDOW_MS: Final = MINUTE_MS
"""All that is looked for lies behind the call."""

SEEN_MS: Final = 60 * MINUTE_MS
"""What became of a call in its first hour is known to a call that comes late."""


def trouble_in(event: DomainEvent) -> TroubleRef:
    """Return the trouble that a call is."""
    call = calls.call_in(event)
    as_log = log_of(call.text("equipmentId"), f"{CALL}{call.text('category')}", call.text("raisedAt"))
    return trouble_of(as_log, call.text("id"))


def partition_in(event: DomainEvent) -> str:
    """Return the partition of the calls at the equipment of a call, which is the key that they correlate by."""
    return calls_partition_of(calls.call_in(event).text("equipmentId"))


def called(history: History) -> Iterable[Decision]:
    """Begin the chains that are on the category of a call."""
    log = trouble_in(history.anchor)
    return () if is_over(history, log) else begin(history, log, askings_about(log, known_in(history)))


RULE: Final = Rule(
    id="called",
    on=frozenset({(SOURCE, RAISED)}),
    key=partition_in,
    window_ms=WINDOW_MS,
    timing=AtOnce(after_ms=SEEN_MS),
    needs_context=True,
    enough=has_chains,
    expression=called,
    emits=frozenset({TROUBLE_OPENED, HELP_REQUESTED, NOBODY_FOUND}),
)

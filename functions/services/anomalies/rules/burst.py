"""The rule that a state is reported far more often than this machine does."""

from collections.abc import Iterable, Sequence

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import Screened
from andon.runtime.clock import HOUR_MS
from contract.reports import REPORTED
from services.anomalies import anomaly
from services.anomalies.anomaly import ANOMALY_DETECTED
from services.anomalies.model import MachineKnowledge
from services.anomalies.reports import partition_in, state_in

# The hour before the report before the anchor begins in it.
WINDOW_MS = 2 * HOUR_MS

# Of a machine that reports so often nothing is decided: a look must not cost more for it, nor have a due row each time.
MOST = 250


def burst(history: History) -> Iterable[Decision]:
    """Decide at the report with which the hour before it exceeds the limit, and at none of those that keep it there."""
    known, state = history.context, state_in(history.anchor)
    expected = known.rate_of(state) if isinstance(known, MachineKnowledge) else None
    if not isinstance(known, MachineKnowledge) or expected is None or history.is_cut:
        return
    reports = [report for report in history.events if state_in(report) == state]
    in_hour = _last_hour(reports)
    if len(in_hour) > expected.at_most >= len(_last_hour(reports[:-1])):
        yield anomaly.decide(
            "burst", known=known, expected=expected, seen=len(in_hour), about=history.anchor, first=in_hour[0]
        )


def _last_hour(reports: Sequence[DomainEvent]) -> list[DomainEvent]:
    """Return the reports of the hour that ends with the last of them."""
    return [report for report in reports if report.timestamp_ms > reports[-1].timestamp_ms - HOUR_MS]


RULE = Rule(
    id="burst",
    on=frozenset({REPORTED}),
    key=partition_in,
    window_ms=WINDOW_MS,
    most=MOST,
    nearest_suffice=True,
    timing=Screened(),
    needs_context=True,
    is_replayable=False,  # the model is in a bucket
    expression=burst,
    emits=frozenset({ANOMALY_DETECTED}),
)

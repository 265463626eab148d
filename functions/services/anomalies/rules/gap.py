"""The rule that a machine reported nothing for far longer than it does after such a report.

It is decided when the gap ends. That a machine is silent while it is, `dispatch` decides.
"""

from collections.abc import Iterable

from andon.rules.rule import Decision, History, Rule, always
from andon.rules.timing import Screened
from andon.runtime.clock import HOUR_MS
from contract.reports import REPORTED
from services.anomalies import anomaly
from services.anomalies.anomaly import ANOMALY_DETECTED
from services.anomalies.model import MachineKnowledge
from services.anomalies.reports import partition_in, state_in


def gap(history: History) -> Iterable[Decision]:
    """Decide at the report that ends the gap."""
    known, last = history.context, history.before
    expected = known.gap_after(state_in(last)) if isinstance(known, MachineKnowledge) and last else None
    if not isinstance(known, MachineKnowledge) or last is None or expected is None:
        return
    seconds = (history.anchor.timestamp_ms - last.timestamp_ms) / 1000
    if seconds > expected.at_most:
        yield anomaly.decide("gap", known=known, expected=expected, seen=seconds, about=history.anchor, first=last)


RULE = Rule(
    id="gap",
    on=frozenset({REPORTED}),
    key=partition_in,
    window_ms=HOUR_MS,
    until=always,  # one report back is all there is to see, however old it is
    timing=Screened(),
    needs_context=True,
    is_replayable=False,  # the model is in a bucket
    expression=gap,
    emits=frozenset({ANOMALY_DETECTED}),
)

"""The rule that a machine with a long history reports a state that it never, or hardly ever, did."""

from collections.abc import Iterable

from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import Screened
from contract.reports import REPORTED
from services.anomalies import anomaly
from services.anomalies.anomaly import ANOMALY_DETECTED
from services.anomalies.model import MachineKnowledge
from services.anomalies.reports import partition_in, state_in
from services.anomalies.rules.burst import MOST, WINDOW_MS


def odd_state(history: History) -> Iterable[Decision]:
    """Decide at the first report of the state, and again only if it was not reported for two hours."""
    known, anchor = history.context, history.anchor
    expected = known.hardly_saw(state_in(anchor)) if isinstance(known, MachineKnowledge) else None
    if not isinstance(known, MachineKnowledge) or expected is None or history.is_cut:
        return
    if not any(state_in(report) == state_in(anchor) for report in history.events[:-1]):
        yield anomaly.decide("odd-state", known=known, expected=expected, seen=1, about=anchor, first=anchor)


RULE = Rule(
    id="odd-state",
    on=frozenset({REPORTED}),
    key=partition_in,
    window_ms=WINDOW_MS,  # as much as bursts look at, so that it is read once for both
    most=MOST,
    nearest_suffice=True,
    timing=Screened(),
    needs_context=True,
    is_replayable=False,  # the model is in a bucket
    expression=odd_state,
    emits=frozenset({ANOMALY_DETECTED}),
)

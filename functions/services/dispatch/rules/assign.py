"""The rule that puts an operator on every abnormal log."""

from collections.abc import Iterable

from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AtOnce
from andon.runtime.clock import MINUTE_MS
from contract.reports import REPORTED
from services.dispatch.fact_types import OPERATOR_ASSIGNED
from services.dispatch.reports import is_abnormal, log_in, partition_in
from services.dispatch.responsibility import ASSIGNMENT
from services.dispatch.roster import roster_in


def assign(history: History) -> Iterable[Decision]:
    """Assign the abnormal logs of the window; those that got no operator for want of one get one now."""
    roster = roster_in(history)
    if roster is None:
        return
    for report in filter(is_abnormal, history.events):
        log = log_in(report)
        operator = roster.operator_for(log["equipmentId"])
        if operator is None:
            return
        row = ASSIGNMENT.decided_row(log, operator, at_ms=report.timestamp_ms)
        yield Decision(key=ASSIGNMENT.key_of(log), row=row, triggers=(report,))


RULE = Rule(
    id="assign",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=partition_in,
    window_ms=15 * MINUTE_MS,
    timing=AtOnce(),  # each log is decided upon by itself, whatever came before
    needs_context=True,
    expression=assign,
    emits=frozenset({OPERATOR_ASSIGNED}),
)

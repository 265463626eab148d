"""The rule that puts an operator on every abnormal log."""

from collections.abc import Iterable

from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import AtOnce
from andon.runtime.clock import MINUTE_MS
from contract.reports import REPORTED
from services.dispatch.fact_types import OPERATOR_ASSIGNED
from services.dispatch.known import has_roster, known_in
from services.dispatch.reports import is_abnormal, log_in, partition_in
from services.dispatch.responsibility import ASSIGNMENT


def assign(history: History) -> Iterable[Decision]:
    """Assign the abnormal logs of the window; those that got no operator for want of one get one now."""
    known = known_in(history)
    for report in filter(is_abnormal, history.events):
        log = log_in(report)
        operator = known.on_duty(report.timestamp_ms).operator_for(log["equipmentId"])
        if operator is not None:
            row = ASSIGNMENT.decided_row(log, operator, at_ms=report.timestamp_ms)
            yield Decision(key=ASSIGNMENT.key_of(log), row=row, triggers=(report,))


RULE = Rule(
    id="assign",
    on=frozenset({REPORTED}),
    when=is_abnormal,
    key=partition_in,
    window_ms=15 * MINUTE_MS,
    most=50,  # each of them is put again at each report
    nearest_suffice=True,
    timing=AtOnce(),  # each log is decided upon by itself, whatever came before
    needs_context=True,
    enough=has_roster,
    expression=assign,
    emits=frozenset({OPERATOR_ASSIGNED}),
)

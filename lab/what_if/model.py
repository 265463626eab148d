"""The rules of dispatch as plain functions of all that was said: nothing is stored, swept or published.

Written from docs/rules.md, docs/duty.md and what the rules say of themselves; it imports nothing of them, nor of their
library. A rule is evaluated at each of its events, over what had arrived when it was due; events that were late count
for no rule that waits.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from lab.what_if.decided import Decisions, ModelDecision, first_ones
from lab.what_if.facts import Facts, LogName, Report, Said
from lab.what_if.model_rules import DAY_MS, HOLD_BACK_MS, MINUTE_MS, ModelRules, is_abnormal, is_error
from lab.what_if.plain_times import utc_of

LOOKS_BACK_MS = 15 * MINUTE_MS
"""*assign* looks back so far."""


class Window(NamedTuple):
    """The reports around one, in order: before: the one that ended the look-back; earlier; later."""

    before: Report | None
    earlier: Sequence[Report]
    anchor: Report
    later: Sequence[Report]

    @property
    def upto(self) -> list[Report]:
        """Those up to the anchor."""
        return [*self.earlier, self.anchor]

    @property
    def all(self) -> list[Report]:
        """All but `before`."""
        return [*self.upto, *self.later]


def decided_alone(facts: Facts, rules: ModelRules, end_ms: int) -> Decisions:
    """Return the decisions of assign, escalate, at-risk, silent and back, which see no decisions of others."""
    found = list[ModelDecision]()
    for machine, heard in facts.reports.items():
        reports = [report for report in heard if report.arrived_ms <= end_ms]
        timely = in_time(reports)
        found += _assignments(machine, reports, facts, rules)
        found += _escalations(machine, timely, facts, rules)
        found += _risks(machine, timely, rules)
        found += _silences(machine, timely, rules)
        found += _returns(machine, timely, rules)
    return first_ones((one for one in found if one.rule not in rules.without), facts, end_ms)


def in_time(reports: Sequence[Report]) -> list[Report]:
    """Leave out what came when a newer report had been there for longer than the hold-back."""
    found, earliest_ms = list[Report](), None
    for report in reversed(reports):
        if earliest_ms is None or report.arrived_ms <= earliest_ms + HOLD_BACK_MS:
            found.append(report)
        earliest_ms = report.arrived_ms if earliest_ms is None else min(earliest_ms, report.arrived_ms)
    return found[::-1]


def operator_for(machine: str, operators: Iterable[str]) -> str:
    """Return the operator of a machine: of all, the one whose digest beside it is the largest."""
    return max(operators, key=lambda one: (sha256(f"{len(machine)} {machine} {one}".encode()).digest(), one))


def window(
    timely: Sequence[Report], anchor: Report, *, back_ms: int, ahead_ms: int, due_ms: int, ends_at_normal: bool
) -> Window:
    """Return the reports that a rule sees around one, of those that had arrived when it was due."""
    known = [report for report in timely if report.arrived_ms <= due_ms]
    earlier, before = list[Report](), None
    for report in reversed([report for report in known if report[:2] < anchor[:2]]):
        if report.at_ms < anchor.at_ms - back_ms or (ends_at_normal and report.is_normal):
            before = report
            break
        earlier.append(report)
    later = [report for report in known if report[:2] > anchor[:2] and report.at_ms <= anchor.at_ms + ahead_ms]
    return Window(before, earlier[::-1], anchor, later)


def _due_ms(at_ms: int, anchor: Report) -> int:
    return max(at_ms, anchor.arrived_ms) + HOLD_BACK_MS


def _assignments(machine: str, reports: Sequence[Report], facts: Facts, rules: ModelRules) -> Iterator[ModelDecision]:
    """Yield an operator at once for each abnormal log of the last 15 minutes, whatever came late."""
    operator = operator_for(machine, facts.roster_of(machine)["operators"])
    for anchor in sorted(reports, key=lambda one: one.number):
        if not rules.assigns(anchor.state):
            continue
        for one in reports:
            is_near = anchor.at_ms - LOOKS_BACK_MS <= one.at_ms and one[:2] <= anchor[:2]
            if is_near and is_abnormal(one.state) and one.number <= anchor.number:
                row = {
                    "operator": operator,
                    "state": one.state,
                    "logTimestamp": utc_of(one.at_ms),
                    "timestamp": one.at_ms,
                    "triggers": [one.trigger],
                }
                key = f"Equipment#{machine}", f"{one.state}#{utc_of(one.at_ms)}#assignment{rules.owner}"
                at = frozenset({(machine, anchor.at_ms)})
                yield ModelDecision("dispatch.assign", key, at, machine, anchor.arrived_ms, row)


def _escalations(machine: str, timely: Sequence[Report], facts: Facts, rules: ModelRules) -> Iterator[ModelDecision]:
    """Yield episodes that have lasted for 15 minutes, unless somebody has acknowledged one of their logs."""
    supervisor, after_ms = facts.roster_of(machine)["supervisor"], rules.escalate_after_ms
    for anchor in timely:
        if anchor.is_normal or not rules.escalates(anchor.state):
            continue
        due_ms = _due_ms(anchor.at_ms + after_ms, anchor)
        seen = window(timely, anchor, back_ms=DAY_MS, ahead_ms=after_ms, due_ms=due_ms, ends_at_normal=True)
        is_begun_before = seen.before is not None and not seen.before.is_normal
        if is_begun_before or any(report.is_normal for report in seen.later):
            continue
        logs = {report.name for report in seen.all}
        if _has_seen(facts.acknowledged.get(machine, ()), logs, anchor.at_ms + after_ms, due_ms):
            continue
        first = seen.all[0]
        at_ms = first.at_ms + after_ms
        last = [report for report in seen.all if report.at_ms <= at_ms][-1]
        row = {
            "supervisor": supervisor,
            "state": first.state,
            "logTimestamp": utc_of(first.at_ms),
            "timestamp": at_ms,
            "triggers": [first.trigger] if last is first else [first.trigger, last.trigger],
        }
        key = f"Equipment#{machine}", f"{first.state}#{utc_of(first.at_ms)}#escalation{rules.owner}"
        yield ModelDecision("dispatch.escalate", key, frozenset({(machine, anchor.at_ms)}), machine, due_ms, row)


def _has_seen(acknowledged: Iterable[Said], logs: set[LogName], until_ms: int, due_ms: int) -> bool:
    return any(one.log in logs and one.at_ms <= until_ms and one.arrived_ms <= due_ms for one in acknowledged)


def _risks(machine: str, timely: Sequence[Report], rules: ModelRules) -> Iterator[ModelDecision]:
    """Yield the first report of an episode that is the third within 15 minutes, or an ERROR after a WARNING."""
    for anchor in timely:
        if anchor.is_normal:
            continue
        due_ms = _due_ms(anchor.at_ms, anchor)
        seen = window(timely, anchor, back_ms=rules.risk_window_ms, ahead_ms=0, due_ms=due_ms, ends_at_normal=True)
        upto, is_begun_before = seen.upto, seen.before is not None and not seen.before.is_normal
        if is_begun_before or any(_completed(upto[:number], rules) for number in range(1, len(upto))):
            continue
        if found := _completed(upto, rules):
            reason, reports = found
            since = utc_of(upto[0].at_ms)
            about = since if rules.risk_is_about_first else utc_of(anchor.at_ms)
            row = {
                "since": since,
                "timestamp": utc_of(anchor.at_ms),
                "at": anchor.at_ms,
                "reason": reason,
                "triggers": [report.trigger for report in reports],
            }
            key = f"Equipment#{machine}", f"decision#equipment-at-risk#{about}"
            yield ModelDecision("dispatch.at-risk", key, frozenset({(machine, anchor.at_ms)}), machine, due_ms, row)


def _completed(reports: Sequence[Report], rules: ModelRules) -> tuple[str, Sequence[Report]] | None:
    last = reports[-1]
    repeated = reports[-rules.repeats :]
    if len(repeated) == rules.repeats and last.at_ms - repeated[0].at_ms <= rules.within_ms:
        return rules.repeated, repeated
    warnings = [report for report in reports[:-1] if report.state.startswith("WARNING")]
    return ("ERROR after WARNING", (warnings[-1], last)) if warnings and is_error(last.state) else None


def _silences(machine: str, timely: Sequence[Report], rules: ModelRules) -> Iterator[ModelDecision]:
    """Yield reports that none follows for 30 minutes, as it is known then."""
    after_ms = rules.silent_after_ms
    for anchor in timely:
        at_ms = anchor.at_ms + after_ms
        if is_silent_after(timely, anchor, rules):
            since = utc_of(anchor.at_ms)
            row = {"since": since, "timestamp": utc_of(at_ms), "at": at_ms, "triggers": [anchor.trigger]}
            key, due_ms = (f"Equipment#{machine}", f"decision#equipment-silent#{since}"), _due_ms(at_ms, anchor)
            yield ModelDecision("dispatch.silent", key, frozenset({(machine, anchor.at_ms)}), machine, due_ms, row)


def is_silent_after(timely: Sequence[Report], anchor: Report, rules: ModelRules) -> bool:
    """Return True if a machine is found to be silent after a report."""
    after_ms = rules.silent_after_ms
    due_ms = _due_ms(anchor.at_ms + after_ms, anchor)
    seen = window(timely, anchor, back_ms=after_ms, ahead_ms=after_ms, due_ms=due_ms, ends_at_normal=False)
    return not seen.later and not (rules.sees_before and seen.earlier)


def _returns(machine: str, timely: Sequence[Report], rules: ModelRules) -> Iterator[ModelDecision]:
    """Yield the first report, as it is known then, after a silence that was to be told."""
    after_ms = rules.silent_after_ms
    plain = rules._replace(sees_before=False)
    for now in timely:
        due_ms = _due_ms(now.at_ms, now)
        seen = window(timely, now, back_ms=2 * after_ms, ahead_ms=0, due_ms=due_ms, ends_at_normal=False)
        earlier = [*([] if seen.before is None else [seen.before]), *seen.earlier]
        silences = [
            report
            for report in earlier
            if earlier[-1].at_ms <= report.at_ms + after_ms < now.at_ms and is_silent_after(timely, report, plain)
        ]
        if silences:
            row = {
                "since": utc_of(silences[-1].at_ms),
                "timestamp": utc_of(now.at_ms),
                "at": now.at_ms,
                "triggers": [earlier[-1].trigger, now.trigger],
            }
            key = f"Equipment#{machine}", f"decision#equipment-back#{utc_of(now.at_ms)}"
            yield ModelDecision("dispatch.back", key, frozenset({(machine, now.at_ms)}), machine, due_ms, row)

"""The report as a terminal shows it. Pure."""

from collections.abc import Iterator
from typing import Final

from andon.runtime import times
from andon.tools.what_if.report import ENOUGH_PERCENT, Calibration, RuleChange, WhatIf

MOST_FIELDS: Final = 6
MINUTE_CHARACTERS: Final = 16  # of a time, down to minutes


def lines_of(report: WhatIf) -> Iterator[str]:
    """Yield the lines of a report."""
    lake = report.lake
    since = "the beginning" if report.since_ms is None else _minute(report.since_ms)
    yield f"before: {report.before}"
    yield f"after:  {report.after}"
    yield f"{lake.events:,} events of the lake, anchors from {since} to {_minute(report.until_ms)}"
    told = [rule for rule in report.rules if rule.is_told]
    for rule in told:
        yield ""
        yield from _rule(rule)
    if others := len(report.rules) - len(told):
        yield from ("", f"{others} {'more rules' if told else 'rules'} decided nothing")
    if report.episodes:
        yield from ("", "some of the differences:")
    for one in report.episodes:
        yield from ("", f"  {one.subject}, {one.rule}", *(f"    {line}" for line in one.lines))
    yield from (
        "",
        *_calibration(report.calibration),
        "",
        "it is assumed that",
        *(f"  - {a}" for a in report.assumptions),
    )


def _rule(rule: RuleChange) -> Iterator[str]:
    changes = f"+{len(rule.added):,} -{len(rule.removed):,} ≠{len(rule.changed):,}"
    what = "no difference" if rule.is_same else changes
    yield f"{rule.rule}: {rule.before:,} decisions before, {rule.after:,} after; {what}"
    if rule.changed:
        fields = [f"{name} {number:,}" for name, number in rule.fields.items()][:MOST_FIELDS]
        yield f"  changed members: {', '.join(fields)}"
    if not rule.is_same:
        for day, both in sorted(rule.by_day.items()):
            yield f"  {day}  {both.before:>8,} → {both.after:>8,}"
    counted = ((rule.pending, "due after the end"), (rule.late, "came too late for it"), (rule.faults, "failed"))
    for number, what in counted:
        if any(number):
            yield f"  {what}: {number.before:,} before, {number.after:,} after"


def _calibration(calibration: Calibration) -> Iterator[str]:
    yield (
        f"calibration {calibration.percent:.2f} %: of {calibration.lake:,} decisions in the lake the code before the "
        f"change decides {calibration.equal:,} alike; missing {calibration.missing:,}, extra {calibration.extra:,}, "
        f"different {calibration.different:,}"
    )
    if calibration.ties:
        yield f"  {calibration.ties:,} of these are about events of one second: the lake has not their order"
    if calibration.by_day:
        days = ", ".join(f"{day} {number:,}" for day, number in sorted(calibration.by_day.items()))
        yield f"  by day: {days}"
    yield from (f"  {example}" for example in calibration.examples)
    if calibration.percent < ENOUGH_PERCENT:
        yield f"  below {ENOUGH_PERCENT:g} %: other code, or other rosters, decided part of the lake;"
        yield "  do not trust the differences"


def _minute(at_ms: int) -> str:
    return times.to_utc(at_ms)[:MINUTE_CHARACTERS].replace("T", " ")

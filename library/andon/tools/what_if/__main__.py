"""`make what-if`: decides the lake's past once more, by the rules of two trees, and says what differs.

| variable | meaning |
|---|---|
| `RULE` | the id of a rule, as `late` or `shop.late`; `all` |
| `SINCE`, `UNTIL` | a day or a time in UTC: the anchors that count; else all of the lake |
| `BASE` | the commit before the change; else `HEAD`. After it is the working tree as it lies |
| `SET` | `"NAME=expression"`: after it is a copy of the working tree with that constant; see `setting` |
| `LAKE` | a folder with the lake's objects, in place of the running system's lake |
| `ROSTERS` | a file with rows that rules know beside events, see `known_rows`; else those of the running system |
| `JSON`, `PLOT` | files for the whole report, see `report`, and for a picture of the decisions by day |
| `STACK` | the name of a stack on AWS, in place of the one on this machine |
| `HOLD_BACK_SECONDS` | in place of what the stack has, or of a stage's 30 where only a folder is asked |

The status is 0: it was replayed, whatever differs; 1: it cannot, with the reason; 2: the code before the change decides
less than 99 % of what the lake says was decided, so that differences say little.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from andon.cdk.names import TRIGGER, pascal
from andon.project import project
from andon.rules.micro_event_store import VARIABLE
from andon.runtime import times
from andon.runtime.tried import Failed, tried
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.asked import WhatIfAsked, asked_in
from andon.tools.what_if.replaying import DEFAULT, HoldBack, LakePlace, what_if
from andon.tools.what_if.report import ENOUGH_PERCENT, Calibration, RuleChange, WhatIf, to_json
from andon.tools.what_if.simulation import control_services
from andon.tools.what_if.trees import room

if TYPE_CHECKING:
    from andon.tools.views.deployed import Deployed

# The report as a terminal shows it. Pure.

MOST_FIELDS: Final = 6
_MINUTE_CHARACTERS: Final = 16  # of a time, down to minutes


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
    return times.to_utc(at_ms)[:_MINUTE_CHARACTERS].replace("T", " ")


_NOT_CALIBRATED = 2


def main(given: Mapping[str, str]) -> int:
    """Print what differs, or why that cannot be said."""
    try:
        asked = asked_in(given)
        with room() as folder:
            report = what_if(asked, _place(asked, given), project().root, folder)
        _write(report, asked)
    except ToolFailed as reason:
        print(f"{as_called('what-if')}: {reason}", file=sys.stderr)
        return 1
    return 0 if report.is_calibrated else _NOT_CALIBRATED


def _place(asked: WhatIfAsked, given: Mapping[str, str]) -> LakePlace:
    said = _hold_back_in(given)
    if asked.lake is not None:
        return LakePlace(asked.lake, None, said or DEFAULT)
    from andon.tools.lake import lake_copy  # noqa: PLC0415  a folder needs no boto3
    from andon.tools.views.deployed import deployed  # noqa: PLC0415  as above

    found = deployed(given.get("STACK"))
    lake = Path(lake_copy.copy(found.lake))
    return LakePlace(lake, None if asked.rosters else found.rows, said or hold_back_of(found))


def _hold_back_in(given: Mapping[str, str]) -> HoldBack | None:
    """Return the hold-back that the caller says; None: none.

    Raises:
        ToolFailed: it is no number of seconds.

    """
    if not (text := given.get(VARIABLE)):
        return None
    seconds = tried(float, text)
    if isinstance(seconds, Failed) or not 0 <= seconds < inf:
        raise ToolFailed(f"{VARIABLE}={text} is no number of seconds")
    return HoldBack(seconds, f"as {VARIABLE} says")


def hold_back_of(stack: "Deployed") -> HoldBack:
    """Return the hold-back of a deployed stack: each function that decides has it in its environment.

    Raises:
        ToolFailed: nothing that decides is deployed.

    """
    functions = stack.client("lambda")
    for package in control_services():
        name = stack.output(f"{pascal(package.name)}{TRIGGER}", package)
        variables = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        return HoldBack(float(variables[VARIABLE]), f"{VARIABLE} of {stack.name or 'the stack on this machine'}")
    raise ToolFailed("no service of this project decides by rules")


def _write(report: WhatIf, asked: WhatIfAsked) -> None:
    print(*lines_of(report), sep="\n")
    if asked.json is not None:
        asked.json.write_text(json.dumps(to_json(report), indent=2) + "\n")
    if asked.plot is not None:
        from andon.tools.what_if.picture import draw  # noqa: PLC0415  matplotlib is for who wants a picture

        draw(report, asked.plot)


if __name__ == "__main__":
    sys.exit(main(os.environ))

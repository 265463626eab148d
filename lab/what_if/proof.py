"""The parts: each asks the tool about the lake of a seed, and holds its answer against what is decided again.

Of `since` and `lines` the oracle is the tool's own answer about the whole lake, which `changes` proves.
"""

import json
import os
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from andon.runtime import times
from andon.testing.proving.prover import Record
from andon.testing.what_if import asked
from andon.tools.what_if.report import RuleChange, WhatIf
from lab.what_if.changes import CHANGES, Change, Sample
from lab.what_if.lakes import KINDS, Lake, lived, written
from lab.what_if.lived_again import taken_ms
from lab.what_if.oracle import Decisions, decided_again, misfits, strays_in, until

SHUFFLED_S: Final = 30
AGAIN_S: Final = 20
"""Within so many seconds, events are published again."""
LONG: Final = (
    ("escalate", "escalated sooner"),
    ("at-risk", "two are a risk"),
    ("at-risk", "a risk by its last report"),
    ("all", "silent sooner"),
)
"""Rules that look back to where an episode began, each with a change of it; asked for from the middle of one."""
SHORT: Final = (
    ("silent", "silent sooner"),
    ("silent", "silent without until"),
    ("back", "silent sooner"),
    ("silent-trouble", "silent sooner"),
    ("assign", "errors alone are assigned"),
    ("assign", "another discriminator of who has a log"),
    ("trouble", "stale after a minute"),
    ("trouble", "chains without until"),
    ("lasting", "an acknowledgement ends no chain"),
    ("lasting", "silent later"),
)
"""Rules that look back for less than a lake's length, so that its beginning is not read."""
EACH: Final = 2
TURNS: Final = 5
"""Of so many seeds, each change is tried with two, and taken back with one."""

SHARE = float(os.environ.get("SHARE") or 1)
"""Of each lake so much is lived."""

REAL: Final = [change for change in CHANGES if not change.is_nothing]
NOTHING: Final = CHANGES[0]


class Place:
    """A lake that was written, and the sample that made it; what was answered about all of it is kept."""

    def __init__(self, lake: Lake) -> None:
        self.lake, self._folder, self._number = lake, TemporaryDirectory(prefix="what-if-"), 0
        self.folder, self.sample = self.write(lake.lines), Sample(Path(self._folder.name) / "sample")
        self.again, self.whole = cache(self._again), cache(self.asked)
        self._reports = sorted(
            taken_ms(one) for one in map(json.loads, lake.lines) if one["detail"]["type"] == "state-reported"
        )

    def write(self, lines: Sequence[str]) -> Path:
        """Write lines as a lake."""
        self._number += 1
        return written(lines, Path(self._folder.name) / f"lake-{self._number}")

    def asked(self, change: Change, **given: str) -> WhatIf:
        """Return the answer of the tool about a change."""
        with self.sample.changed(change) as setting:
            return asked(self.folder, self.sample.root, **setting, **given)

    def _again(self, change: Change) -> Decisions:
        """Return the decisions with a change; one that changes nothing is not tried."""
        return self.again(NOTHING) if change.is_nothing and change is not NOTHING else self._lived_again(change)

    def _lived_again(self, change: Change) -> Decisions:
        return decided_again(self.lake.lines, self.sample, change)

    def time(self, dice: Random) -> int:
        """Return a time in the middle, just behind a report: busy times are likely."""
        quarter = len(self._reports) // 4
        return dice.choice(self._reports[quarter:-quarter]) + 1


@cache
def place(seed: int) -> Place:
    """Return the lake of a seed; five seeds in a row are of five kinds."""
    return Place(lived([*KINDS][(seed - 1) % len(KINDS)], seed, share=SHARE))


def calibrate(_: object, _dice: Random, record: Record) -> None:
    """See that the unchanged rules decide what the lake says; of events in one second, what they decide again."""
    at = place(record.seed)
    report, again = at.whole(NOTHING), at.again(NOTHING)
    _expect_calibrated(at, report, record)
    if at.lake.is_tied:
        record.expect("there are ties", report.calibration.ties, _said(report))
    for rule in report.rules:
        found, strays = (rule.calibration.missing, rule.calibration.extra), strays_in(at.lake.lines, again, rule.rule)
        record.expect("it misses what is not decided again", found == strays, f"{rule.rule}: {found}, again {strays}")
    record.note(f"{at.lake}: {len(at.lake.lines):,} lines; {_said(report)}")


def change(_: object, _dice: Random, record: Record, *, changes: Sequence[Change] = ()) -> None:
    """Try changes; by default those whose turn it is, and all that change nothing."""
    at, differences = place(record.seed), list[int]()
    for one in changes or [*_turn(record.seed, 2), *(one for one in CHANGES if one.is_nothing)]:
        report = at.whole(one)
        wrong = misfits(report, at.again(NOTHING), at.again(one))
        record.expect(f"{one.name}: what is decided again", not wrong, f"{at.lake}: {len(wrong)}; {wrong[:2]}")
        if one.is_nothing:
            is_same = all(rule.is_same for rule in report.rules) and not report.episodes
            record.expect(f"{one.name}: nothing differs", is_same)
        else:
            differences.append(_number(report))
    record.expect("most changes make a difference", sum(map(bool, differences)) * 2 >= len(differences), differences)
    record.note(f"{at.lake}: {len(differences)} changes, {sum(differences):,} differences")


def take_back(_: object, _dice: Random, record: Record) -> None:
    """Take changes back: they are in the commit before, and not in the working tree."""
    at = place(record.seed)
    for one in _turn(record.seed, 1):
        report = at.asked(NOTHING, BASE=at.sample.committed(one))
        wrong = misfits(report, at.again(one), at.again(NOTHING))
        record.expect(f"{one.name}: taken back", not wrong, f"{at.lake}: {len(wrong)}; {wrong[:2]}")


def begin_later(_: object, dice: Random, record: Record) -> None:
    """Begin at some time: it is decided what the whole lake gives from then on."""
    at, left_out = place(record.seed), 0
    for rule, name in (dice.choice(LONG), dice.choice(SHORT)):
        [one] = [one for one in CHANGES if one.name == name]
        whole = at.asked(one, RULE=rule)
        for _time in range(EACH):
            since_ms = at.time(dice)
            part = at.asked(one, RULE=rule, SINCE=times.to_utc(since_ms))
            shown = f"{at.lake}, {name}, RULE={rule} SINCE={times.to_utc(since_ms)}"
            wanted, found = [[_from(one, ms) for one in all_.rules] for all_, ms in ((whole, since_ms), (part, 0))]
            record.expect("the same from then on", found == wanted, shown)
            _expect_calibrated(at, part, record, shown)
            left_out += _number(whole) - _number(part)
    record.note(f"{left_out} differences before")


def end_sooner(_: object, dice: Random, record: Record, *, changes: Sequence[Change] = ()) -> None:
    """End at some time: it is decided what was due until then, over what had arrived."""
    at = place(record.seed)
    one, end_ms = dice.choice(changes or _turn(record.seed, 2)), at.time(dice)
    report = at.asked(one, UNTIL=times.to_utc(end_ms))
    wrong = misfits(report, until(at.again(NOTHING), end_ms), until(at.again(one), end_ms))
    shown = f"{at.lake}, {one.name} UNTIL={times.to_utc(end_ms)}"
    record.expect("what is decided again until then", not wrong, f"{shown}: {len(wrong)}; {wrong[:2]}")
    _expect_calibrated(at, report, record, shown)


def write_otherwise(_: object, dice: Random, record: Record) -> None:
    """Write lines in another order within 30 s, and twice, also as they are published again some seconds later."""
    at = place(record.seed)
    one, lines = dice.choice(_turn(record.seed, 2)), at.lake.lines
    whole = at.whole(one)
    late_s = {line: _bus_s(line) + dice.uniform(0, SHUFFLED_S) for line in lines}
    others = {
        "shuffled": sorted(lines, key=late_s.__getitem__),
        "doubled": [*lines, *lines],
        "published again": [*lines, *_again(lines, dice)],
    }
    for name, written_so in others.items():
        with at.sample.changed(one) as setting:
            report = asked(at.write(written_so), at.sample.root, **setting)
        unlike = [rule.rule for rule, other in zip(whole.rules, report.rules, strict=True) if rule != other]
        record.expect(f"{name}: the same rows", not unlike, f"{at.lake}, {one.name}: {unlike}")
        if name != "published again":
            record.expect(f"{name}: the same episodes", report.episodes == whole.episodes, f"{at.lake}, {one.name}")


def _turn(seed: int, number: int) -> list[Change]:
    """Return the changes whose turn it is with a seed."""
    return [one for turn, one in enumerate(REAL) if (turn + seed) % TURNS < number]


def _expect_calibrated(at: Place, report: WhatIf, record: Record, shown: str = "") -> None:
    """Expect that all is equal, but where events of one second have no order."""
    found = report.calibration
    held = at.lake.is_tied or (found.percent == 100 and found.ties == 0)  # noqa: PLR2004
    record.expect("what the lake says is decided", held, f"{at.lake} {shown}: {_said(report)}")


def _said(report: WhatIf) -> str:
    found = report.calibration
    numbers = f"missing {found.missing}, extra {found.extra}, different {found.different}; ties {found.ties}"
    return f"calibration {found.percent:.2f} %, {found.equal} of {found.lake} equal; {numbers}"


def _number(report: WhatIf) -> int:
    return sum(len(rule.added) + len(rule.removed) + len(rule.changed) for rule in report.rules)


def _from(rule: RuleChange, since_ms: int) -> tuple[object, ...]:
    return (
        rule.rule,
        [one for one in rule.added if one.at_ms >= since_ms],
        [one for one in rule.removed if one.at_ms >= since_ms],
        [one for one in rule.changed if one.after.at_ms >= since_ms],
    )


def _again(lines: Sequence[str], dice: Random) -> list[str]:
    """Return lines as the bus took them again some seconds later, within the lake."""
    end_s, found = max(map(_bus_s, lines)), list[str]()
    for line in lines:
        later_s = _bus_s(line) + dice.randrange(1, AGAIN_S)
        if later_s <= end_s:
            found.append(json.dumps({**json.loads(line), "time": f"{times.to_utc(later_s * 1000)[:19]}Z"}))
    return found


def _bus_s(line: str) -> int:
    return int(datetime.fromisoformat(json.loads(line)["time"]).timestamp())

"""The attempts, with lakes and dice, and a record of those that held."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from andon.testing.proving.prover import Record
from andon.tools.what_if.report import Calibration, RuleChange, WhatIf
from lab.what_if.changes import CHANGES, Change
from lab.what_if.combinations import asked, misfits, modelled
from lab.what_if.decided import Decisions
from lab.what_if.facts import Facts
from lab.what_if.lakes import Lake, written
from lab.what_if.model_rules import ModelRules
from lab.what_if.plain_times import utc_of
from lab.what_if.ties import strays_in
from lab.what_if.trees import Sample

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
TOLD: Final = 900
EACH: Final = 2
"""Each change is tried on so many lakes."""
SINCES: Final = 9
TIMES_OF_EACH: Final = 2
UNTILS: Final = 6


class Place(NamedTuple):
    """A lake that was written, and what its lines say."""

    lake: Lake
    folder: Path
    facts: Facts


class Proof:
    """Attempts on some lakes, with some dice."""

    def __init__(self, sample: Sample, places: Sequence[Place], dice: random.Random, room: Path) -> None:
        self.sample, self.places, self.dice, self._room = sample, places, dice, room
        self.record, self.seen, self.differences = Record(), Counter[str](), Counter[str]()
        self._rooms = 0

    def calibration(self) -> None:
        """See that the unchanged rules decide what each lake says; what ties make of it is counted apart."""
        for place in self.places:
            report = asked(place.folder, self.sample.root)
            found, strays = report.calibration, self._strays(place, report)
            self.seen["decisions in lakes"] += found.lake
            self.seen["ties"] += found.ties
            print(f"  {place.lake}: {len(place.lake.lines):,} lines; {said(found)}", flush=True)
            kind = place.lake.name
            self.record.expect(f"{kind}: each decision is equal", self._is_calibrated(place, found), said(found))
            self.record.expect(f"{kind}: the model strays alike", not strays, f"{place.lake}: {strays}")

    def _strays(self, place: Place, report: WhatIf) -> list[str]:
        """Return the rules by which tool and model miss other decisions, and decisions that no tie explains."""
        rules, plain = [rule.rule for rule in report.rules], ModelRules()
        before = modelled(place.facts, plain, place.facts.end_ms)
        strays = strays_in(place.facts, before, rules, plain.slot_ms)
        wrong = [f"no tie explains {key}" for key in strays.unexplained]
        for rule in report.rules:
            numbers = strays.missing.get(rule.rule, 0), strays.extra.get(rule.rule, 0)
            if (rule.calibration.missing, rule.calibration.extra) != numbers:
                wrong.append(f"{rule.rule}: {said(rule.calibration)}; the model misses and adds {numbers}")
        return wrong

    def _is_calibrated(self, place: Place, found: Calibration) -> bool:
        """Return True if all is equal; where events have no order, some is not, and is counted."""
        return found.ties > 0 if place.lake.is_tied else found.percent == 100 and found.ties == 0  # noqa: PLR2004

    def changes(self, each: int) -> None:
        """Try each change on so many lakes, what changes nothing on all: the tool and the model say the same."""
        wanted = [
            {
                turn % len(self.places)
                for turn in range(number, number + (len(self.places) if change.is_nothing else each))
            }
            for number, change in enumerate(CHANGES)
        ]
        for turn, place in enumerate(self.places):
            before = modelled(place.facts, ModelRules(), place.facts.end_ms)
            for change in (change for change, turns in zip(CHANGES, wanted, strict=True) if turn in turns):
                with self.sample.changed(change) as given:
                    report = asked(place.folder, self.sample.root, **given)
                self._hold("changes", place, change, report, before, self._after(place, change))

    def back(self) -> None:
        """Take changes back: they are in the commit before, and not in the working tree."""
        for change in CHANGES:
            if change.edits and not change.is_nothing:
                place, commit = self.dice.choice(self.places), self.sample.committed(change)
                report = asked(place.folder, self.sample.root, BASE=commit)
                before = modelled(place.facts, ModelRules(), place.facts.end_ms)
                self._hold("back", place, change, report, self._after(place, change), before)

    def until(self, number: int) -> None:
        """End at some time: it is decided what was due until then, over what had arrived."""
        for _ in range(number):
            place, change = self.dice.choice(self.places), self.dice.choice(CHANGES)
            at_ms = self._time_in(place)
            before, after = (modelled(place.facts, rules, at_ms) for rules in (ModelRules(), change.rules))
            with self.sample.changed(change) as given:
                report = asked(place.folder, self.sample.root, UNTIL=utc_of(at_ms), **given)
            self._hold("until", place, change, report, before, after, f" UNTIL={utc_of(at_ms)}")
            self._hold_calibration(place, report, f"UNTIL={utc_of(at_ms)}")

    def since(self, number: int) -> None:
        """Begin at some time: it is decided what the whole lake gives from then on."""
        reports = [sum(map(len, place.facts.reports.values())) for place in self.places]
        for rule, name in (*LONG, *self.dice.sample(SHORT, number - len(LONG))):
            [place] = self.dice.choices(self.places, reports)
            [change] = [change for change in CHANGES if change.name == name]
            with self.sample.changed(change) as given:
                whole = asked(place.folder, self.sample.root, RULE=rule, **given)
                for _ in range(TIMES_OF_EACH):
                    since_ms = self._time_in(place)
                    part = asked(place.folder, self.sample.root, RULE=rule, SINCE=utc_of(since_ms), **given)
                    self._hold_part(place, change, rule, whole, part, since_ms)

    def _hold_part(self, place: Place, change: Change, rule: str, whole: WhatIf, part: WhatIf, since_ms: int) -> None:
        for one, other in zip(whole.rules, part.rules, strict=True):
            wanted = _from(one, since_ms)
            found = other.rule, [*other.added], [*other.removed], [*other.changed]
            number = sum(map(len, wanted[1:]))
            self.seen["rows since"] += number
            self.seen["rows before"] += len(one.added) + len(one.removed) + len(one.changed) - number
            seen = f"{place.lake}, {change.name}, RULE={rule} SINCE={utc_of(since_ms)}: {one.rule}"
            self.record.expect(f"{rule}: the same rows", found == wanted, seen)
        self._hold_calibration(place, part, f"RULE={rule} SINCE={utc_of(since_ms)}")

    def _hold_calibration(self, place: Place, report: WhatIf, given: str) -> None:
        """See that a part of a lake is decided as it says, unless its events have no order."""
        held = place.lake.is_tied or self._is_calibrated(place, report.calibration)
        seen = f"{place.lake}, {given}: {said(report.calibration)}"
        self.record.expect("all that is decided again is equal", held, seen)

    def lines(self) -> None:
        """Write lines in another order within 30 s, and twice, also as they are published again some seconds later."""
        for place in self.places:
            change = self.dice.choice([change for change in CHANGES if not change.is_nothing])
            others = {
                "shuffled": self._shuffled(place.lake.lines),
                "doubled": [*place.lake.lines, *place.lake.lines],
                "published again": self._again(place),
            }
            with self.sample.changed(change) as given:
                whole = asked(place.folder, self.sample.root, **given)
                for name, lines in others.items():
                    report = asked(written(lines, self._folder()), self.sample.root, **given)
                    held = report.rules == whole.rules and (
                        name == "published again" or report.episodes == whole.episodes
                    )
                    seen = f"{place.lake}, {change.name}: {_unlike(whole, report)}"
                    self.record.expect(f"{name}: the same report", held, seen)

    def _hold(
        self,
        part: str,
        place: Place,
        change: Change,
        report: WhatIf,
        before: Decisions,
        after: Decisions,
        more: str = "",
    ) -> None:
        wrong = misfits(report, before, after)
        self._see(part, change, report)
        if change.is_nothing and not all(rule.is_same for rule in report.rules):
            wrong.append("nothing was changed, and something differs")
        if change.is_nothing and report.episodes:
            wrong.append("nothing was changed, and there are episodes")
        shown = f"{place.lake}, {change.name}{more}: {len(wrong)} times; {'; '.join(wrong)[:TOLD]}"
        self.record.expect(f"{change.name}: the model's answer", not wrong, shown)

    def _see(self, part: str, change: Change, report: WhatIf) -> None:
        for name in ("added", "removed", "changed"):
            number = sum(len(getattr(rule, name)) for rule in report.rules)
            self.seen[f"{part}: {name}"] += number
            self.differences[change.name] += number

    def something(self) -> None:
        """See that each change makes a difference somewhere, and that there was something to be left out."""
        for change in CHANGES:
            if change.name in self.differences and not change.is_nothing:
                held = self.differences[change.name] > 0
                self.record.expect(f"{change.name}: it changes something somewhere", held)
        for name in ("rows since", "rows before"):
            if name in self.seen:
                self.record.expect(f"there are {name}", self.seen[name])

    def _after(self, place: Place, change: Change) -> Decisions:
        return modelled(place.facts, change.rules, place.facts.end_ms)

    def _time_in(self, place: Place) -> int:
        """Return a time in the middle of a lake, just behind a report: busy times are likely."""
        arrivals = sorted(report.arrived_ms for some in place.facts.reports.values() for report in some)
        quarter = len(arrivals) // 4
        return self.dice.choice(arrivals[quarter:-quarter]) + 1

    def _folder(self) -> Path:
        self._rooms += 1
        return self._room / f"lines-{self._rooms}"

    def _shuffled(self, lines: Sequence[str]) -> list[str]:
        times = {line: _bus_s(line) + self.dice.uniform(0, SHUFFLED_S) for line in lines}
        return sorted(lines, key=times.__getitem__)

    def _again(self, place: Place) -> list[str]:
        """Return the lines, and of each another one that the bus took some seconds later, within the lake."""
        lines = [*place.lake.lines]
        for line in place.lake.lines:
            envelope = json.loads(line)
            later = _bus_s(line) + self.dice.randrange(1, AGAIN_S)
            if later * 1000 <= place.facts.end_ms:
                lines.append(json.dumps({**envelope, "time": f"{utc_of(later * 1000)[:19]}Z"}))
        return lines


def said(found: Calibration) -> str:
    """Return a calibration in words."""
    numbers = f"missing {found.missing}, extra {found.extra}, different {found.different}; ties {found.ties}"
    return f"calibration {found.percent:.2f} %, {found.equal} of {found.lake} equal; {numbers}"


def _from(rule: RuleChange, since_ms: int) -> tuple[str, list[object], list[object], list[object]]:
    return (
        rule.rule,
        [one for one in rule.added if one.at_ms >= since_ms],
        [one for one in rule.removed if one.at_ms >= since_ms],
        [one for one in rule.changed if one.after.at_ms >= since_ms],
    )


def _bus_s(line: str) -> int:
    return int(datetime.fromisoformat(json.loads(line)["time"]).timestamp())


def _unlike(one: WhatIf, other: WhatIf) -> str:
    return ", ".join(a.rule for a, b in zip(one.rules, other.rules, strict=True) if a != b)

"""The report of `andon what-if`: what rules decided before a change, and after it. Pure.

`JSON=file` writes `to_json(report)`. Times are fixed-width UTC, rules are called `<service>.<id>`.

| member | |
|---|---|
| `before`, `after` | the two trees, in words: `HEAD, 1a2b3c4d5e`, `the working tree, AFTER_MS = 10 * MINUTE_MS` |
| `since`, `until` | the range of the anchors that count; `since` is null: all |
| `lake` | `events` that were replayed; `first`, `last`: when the bus took them; `unreadable`: lines that are none |
| `rules` | by rule: `RuleChange`, see below |
| `calibration` | the sums over the rules: `lake`, `equal`, `missing`, `extra`, `different`, `percent` |
| `episodes` | at most ten subjects with a difference: `{subject, rule, at, story}`, its lines in the order of time |
| `assumptions` | sentences |

Of a rule:

| member | |
|---|---|
| `before`, `after`, `same` | numbers of decisions: of each tree, and equal in both |
| `added`, `removed` | lists of `{key, at, anchor, subject, row}`: decisions of one tree alone |
| `changed` | list of `{key, at, anchor, subject, fields, before, after}`: one row key, other members |
| `fields` | number of changed decisions by the name of a member |
| `pending` | `{before, after}`: evaluations that are due after the lake's end; they are in no list |
| `late` | `{before, after}`: anchors that came behind a newer one, later than the hold-back: nothing is decided |
| `faults` | `{before, after}`: evaluations at which the rule failed |
| `calibration` | `{lake, equal, missing, extra, different, ties, byDay, examples}`: the lake against the tree before |
| `byDay` | list of `{day, before, after}`, in order |

`key` is the row's primary key, `at` the time of the anchor at which it was first decided, `anchor` that event's id,
`subject` its partition key, `row` the other members of the row, without digest, fingerprint, hops and ttl.
"""

import os
import resource
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.runtime import times
from andon.runtime.json_types import JsonObject

# The CPU time that this process has taken, and the most memory that it has held.

_STATUS: Final = Path("/proc/self/status")


class ProcessCost(NamedTuple):
    """CPU of all threads (seconds), and memory."""

    cpu_s: float
    peak_bytes: int


def own_cost() -> ProcessCost:
    """Return that of this process since it began."""
    return ProcessCost(sum(os.times()[:2]), peak_bytes())


def peak_bytes() -> int:
    """Return the most memory that this process has held.

    Linux counts it since the program began. `getrusage` began with the parent's.
    """
    if _STATUS.exists():
        (peak,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


ENOUGH_PERCENT: Final = 99.0
"""A calibration below it is one to look at before the differences are believed."""

RowKey = tuple[tuple[str, str | int], ...]
"""The primary key of a row: pairs of attribute and value, in order."""


def row_key(row: Item, names: Sequence[str]) -> RowKey:
    """Return the primary key of a row, which has these attributes."""
    return tuple((name, row[name]) for name in names)


class DecidedRow(NamedTuple):
    """A row that a rule decided first at an anchor.

    rule: `<service>.<id>`. at_ms: the anchor's time. anchor: its id. subject: its partition key. row: the members that
    are compared.
    """

    rule: str
    key: RowKey
    at_ms: int
    anchor: str
    subject: str
    row: Mapping[str, object]


class ChangedRow(NamedTuple):
    """A row that both trees decided, with other members."""

    before: DecidedRow
    after: DecidedRow
    fields: tuple[str, ...]


class BeforeAfter(NamedTuple):
    """A number of each tree."""

    before: int = 0
    after: int = 0


class Calibration(NamedTuple):
    """The decisions in the lake against those of the code.

    lake: how many the lake has. equal: how many of them the code decides alike. missing: the lake has them, the code
    does not. extra: the other way round. different: both have them, with other members. ties: how many of those that
    are not equal are about events that the bus took in one second, whose order the lake does not tell. by_day: day ->
    how many were not equal. examples: some of those, in words.
    """

    lake: int = 0
    equal: int = 0
    missing: int = 0
    extra: int = 0
    different: int = 0
    ties: int = 0
    by_day: Mapping[str, int] = {}
    examples: tuple[str, ...] = ()

    @property
    def percent(self) -> float:
        """The part of all decisions, of the lake and of the code, that are equal; without any it is 100."""
        of = self.lake + self.extra
        return 100.0 if not of else 100 * self.equal / of

    def plus(self, other: "Calibration") -> "Calibration":
        """Return the sum of two."""
        return Calibration(
            lake=self.lake + other.lake,
            equal=self.equal + other.equal,
            missing=self.missing + other.missing,
            extra=self.extra + other.extra,
            different=self.different + other.different,
            ties=self.ties + other.ties,
            by_day=Counter(self.by_day) + Counter(other.by_day),
            examples=self.examples + other.examples,
        )


class RuleChange(NamedTuple):
    """The decisions of a rule by both trees. by_day: day of the anchor -> how many."""

    rule: str
    before: int
    after: int
    same: int
    added: Sequence[DecidedRow] = ()
    removed: Sequence[DecidedRow] = ()
    changed: Sequence[ChangedRow] = ()
    pending: BeforeAfter = BeforeAfter()
    late: BeforeAfter = BeforeAfter()
    faults: BeforeAfter = BeforeAfter()
    calibration: Calibration = Calibration()
    by_day: Mapping[str, BeforeAfter] = {}

    @property
    def is_same(self) -> bool:
        """True if both trees decided the same."""
        return not (self.added or self.removed or self.changed)

    @property
    def is_told(self) -> bool:
        """True if there is anything to say of it: it decided, is due, had anchors that came too late, or failed."""
        return bool(self.before or self.after or any((*self.pending, *self.late, *self.faults)))

    @property
    def fields(self) -> Mapping[str, int]:
        """The number of changed rows by the name of a member, the most first."""
        return dict(Counter(name for one in self.changed for name in one.fields).most_common())


class ToldEpisode(NamedTuple):
    """A difference with what happened around it. lines: in the order of time, each with its time."""

    subject: str
    rule: str
    at_ms: int
    lines: tuple[str, ...]


class ReplayedLake(NamedTuple):
    """The part of the lake that was replayed; first_ms, last_ms: when the bus took its events; None: it has none."""

    events: int = 0
    first_ms: int | None = None
    last_ms: int | None = None
    unreadable: int = 0


class WhatIf(NamedTuple):
    """The whole report. before, after: the trees, in words. since_ms: None: from the lake's beginning on.

    costs: of the process that reads and compares (`lake`), and of each tree's (`before`, `after`).
    """

    before: str
    after: str
    since_ms: int | None
    until_ms: int
    lake: ReplayedLake
    rules: Sequence[RuleChange]
    episodes: Sequence[ToldEpisode] = ()
    assumptions: Sequence[str] = ()
    costs: Mapping[str, ProcessCost] = {}

    @property
    def calibration(self) -> Calibration:
        """The sum over all rules."""
        total = Calibration()
        for rule in self.rules:
            total = total.plus(rule.calibration)
        return total

    @property
    def is_calibrated(self) -> bool:
        """True if the code decides nearly all that the lake says was decided."""
        return self.calibration.percent >= ENOUGH_PERCENT


def to_json(report: WhatIf) -> JsonObject:
    """Return the report as `JSON=` writes it."""
    lake = report.lake
    return {
        "before": report.before,
        "after": report.after,
        "since": _time(report.since_ms),
        "until": _time(report.until_ms),
        "lake": {
            "events": lake.events,
            "first": _time(lake.first_ms),
            "last": _time(lake.last_ms),
            "unreadable": lake.unreadable,
        },
        "rules": {rule.rule: _rule(rule) for rule in report.rules},
        "calibration": {**_counts(report.calibration), "percent": round(report.calibration.percent, 2)},
        "episodes": [_episode(one) for one in report.episodes],
        "assumptions": [*report.assumptions],
    }


def _rule(rule: RuleChange) -> JsonObject:
    calibration = rule.calibration
    return {
        "before": rule.before,
        "after": rule.after,
        "same": rule.same,
        "added": [{**_place(one), "row": dict(one.row)} for one in rule.added],
        "removed": [{**_place(one), "row": dict(one.row)} for one in rule.removed],
        "changed": [_changed(one) for one in rule.changed],
        "fields": dict(rule.fields),
        "pending": rule.pending._asdict(),
        "late": rule.late._asdict(),
        "faults": rule.faults._asdict(),
        "calibration": {
            **_counts(calibration),
            "ties": calibration.ties,
            "byDay": dict(calibration.by_day),
            "examples": [*calibration.examples],
        },
        "byDay": [{"day": day, **both._asdict()} for day, both in sorted(rule.by_day.items())],
    }


def _counts(calibration: Calibration) -> dict[str, int]:
    names = ("lake", "equal", "missing", "extra", "different")
    return {name: getattr(calibration, name) for name in names}


def _place(one: DecidedRow) -> JsonObject:
    return {"key": dict(one.key), "at": times.to_utc(one.at_ms), "anchor": one.anchor, "subject": one.subject}


def _changed(one: ChangedRow) -> JsonObject:
    return {**_place(one.after), "fields": [*one.fields], "before": dict(one.before.row), "after": dict(one.after.row)}


def _episode(one: ToldEpisode) -> JsonObject:
    return {"subject": one.subject, "rule": one.rule, "at": times.to_utc(one.at_ms), "story": [*one.lines]}


def _time(at_ms: int | None) -> str | None:
    return None if at_ms is None else times.to_utc(at_ms)

"""The decisions of two trees and of the lake -> what differs. Pure, but for the files that it reads."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import orjson

from andon.rules.rule import TRIGGERS
from andon.runtime import times
from andon.tools.what_if.report import BeforeAfter, Calibration, ChangedRow, DecidedRow, RowKey, RuleChange
from andon.tools.what_if.splitting import RecordedDecision
from andon.tools.what_if.tree import DecidedLine, Replayed, key_in

# A listener takes an event some seconds after the bus did, which the lake does not tell.
_ALIKE_MS: Final = 5_000
FIRST_TIME_MS: Final = 10**12
# What was decided so shortly before the lake's end may not have reached it.
REACHES_LAKE_MS: Final = 5 * 60_000

EXAMPLES: Final = 5
_MOST_MISFITS: Final = 1_000


class CalibrationMisfit(NamedTuple):
    """A decision that is not in the lake as the code decides it. kind: missing, extra or different."""

    rule: str
    kind: str
    subject: str
    at_ms: int
    row: Mapping[str, object]

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject} at {times.to_utc(self.at_ms)}"


class TreeComparison:
    """Compares decisions of some rules, one group after another. since_ms: anchors before it count for nothing."""

    def __init__(self, rules: Iterable[str], *, since_ms: int) -> None:
        self._since_ms = since_ms
        self._numbers = {rule: Counter[str]() for rule in rules}
        self._days: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self._added: dict[str, list[DecidedRow]] = defaultdict(list)
        self._removed: dict[str, list[DecidedRow]] = defaultdict(list)
        self._changed: dict[str, list[ChangedRow]] = defaultdict(list)

    def add(self, before: Iterable[DecidedLine], after: Iterable[DecidedLine]) -> None:
        """Compare the decisions of a group."""
        earlier = {(one.rule.partition(".")[0], one.key): one for one in map(decided_row, before)}
        for one in map(decided_row, after):
            self._compare(earlier.pop((one.rule.partition(".")[0], one.key), None), one)
        for gone in earlier.values():
            self._compare(gone, None)

    def _compare(self, before: DecidedRow | None, after: DecidedRow | None) -> None:
        self._count(before, "before")
        self._count(after, "after")
        if after is None or before is None or before.rule != after.rule:
            self._keep(self._removed, before)
            self._keep(self._added, after)
        elif after.at_ms >= self._since_ms:
            if fields := changed_fields(before.row, after.row):
                self._changed[after.rule].append(ChangedRow(before, after, fields))
            else:
                self._numbers[after.rule]["same"] += 1

    def _keep(self, rows: dict[str, list[DecidedRow]], one: DecidedRow | None) -> None:
        if one is not None and one.at_ms >= self._since_ms:
            rows[one.rule].append(one)

    def _count(self, one: DecidedRow | None, tree: str) -> None:
        if one is not None and one.at_ms >= self._since_ms:
            self._numbers[one.rule][tree] += 1
            self._days[one.rule][times.date_of(one.at_ms)][tree] += 1

    def result(self, calibrations: Mapping[str, Calibration], before: Replayed, after: Replayed) -> list[RuleChange]:
        """Return the differences, by rule."""
        return [
            RuleChange(
                rule,
                before=numbers["before"],
                after=numbers["after"],
                same=numbers["same"],
                added=sorted(self._added[rule], key=_place),
                removed=sorted(self._removed[rule], key=_place),
                changed=sorted(self._changed[rule], key=lambda one: _place(one.after)),
                pending=BeforeAfter(before["pending"].get(rule, 0), after["pending"].get(rule, 0)),
                late=BeforeAfter(before["late"].get(rule, 0), after["late"].get(rule, 0)),
                faults=BeforeAfter(before["faults"].get(rule, 0), after["faults"].get(rule, 0)),
                calibration=calibrations.get(rule, Calibration()),
                by_day={day: BeforeAfter(of["before"], of["after"]) for day, of in sorted(self._days[rule].items())},
            )
            for rule, numbers in sorted(self._numbers.items())
        ]


class Calibrating:
    """Compares the decisions of a tree with those of the lake, one after another.

    end_ms: of the replay. lake_ends_ms: of the lake; what came shortly before may not be there. misfits: the first.
    """

    def __init__(
        self,
        recorded: Mapping[tuple[str, RowKey], RecordedDecision],
        *,
        since_ms: int,
        end_ms: int,
        lake_ends_ms: int,
    ) -> None:
        self._recorded, self._since_ms, self._end_ms, self._lake_ends_ms = recorded, since_ms, end_ms, lake_ends_ms
        self._met = set[tuple[str, RowKey]]()
        self._numbers: dict[str, Counter[str]] = defaultdict(Counter)
        self._days: dict[str, Counter[str]] = defaultdict(Counter)
        self._examples: dict[str, list[str]] = defaultdict(list)
        self.misfits: list[CalibrationMisfit] = []

    def add(self, decided: Iterable[DecidedLine]) -> None:
        """Compare the decisions of a group."""
        for one in decided:
            place = one["rule"].partition(".")[0], key_in(one["key"])
            recorded = self._recorded.get(place)
            self._met.add(place)
            if one["at"] >= self._since_ms:
                self._compare(one, recorded)

    def _compare(self, one: DecidedLine, recorded: RecordedDecision | None) -> None:
        kind = "equal"
        if recorded is None:
            if one["decided"] > self._lake_ends_ms - REACHES_LAKE_MS:
                return
            kind = "extra"
        elif not is_alike(one["row"], orjson.loads(recorded.row)):
            kind = "different"
        self._note(kind, CalibrationMisfit(one["rule"], kind, one["subject"], one["at"], one["row"]))

    def _note(self, kind: str, misfit: CalibrationMisfit) -> None:
        self._numbers[misfit.rule][kind] += 1
        if kind == "equal":
            return
        self._days[misfit.rule][times.date_of(misfit.at_ms)] += 1
        if len(self._examples[misfit.rule]) < EXAMPLES:
            self._examples[misfit.rule].append(str(misfit))
        if len(self.misfits) < _MOST_MISFITS:
            self.misfits.append(misfit)

    def end(self, rules: Iterable[str]) -> None:
        """Take what the lake has of some rules, and the tree has not decided."""
        wanted = frozenset(rules)
        for place, recorded in self._recorded.items():
            is_within = recorded.triggered_ms >= self._since_ms and recorded.taken_ms <= self._end_ms
            if place not in self._met and recorded.rule in wanted and is_within:
                row = orjson.loads(recorded.row)
                misfit = CalibrationMisfit(recorded.rule, "missing", recorded.subject, recorded.triggered_ms, row)
                self._note("missing", misfit)

    def result(self, ties: Mapping[str, int]) -> dict[str, Calibration]:
        """Return the calibration of each rule; ties: rule -> how many misfits are about one second."""
        return {
            rule: Calibration(
                lake=of["equal"] + of["different"] + of["missing"],
                equal=of["equal"],
                missing=of["missing"],
                extra=of["extra"],
                different=of["different"],
                ties=ties.get(rule, 0),
                by_day=self._days[rule],
                examples=tuple(self._examples[rule]),
            )
            for rule, of in self._numbers.items()
        }


def decided_row(line: DecidedLine) -> DecidedRow:
    """Return a decision of a line."""
    return DecidedRow(line["rule"], key_in(line["key"]), line["at"], line["anchor"], line["subject"], line["row"])


def changed_fields(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the members that differ; 12 and 12.0 are equal."""
    nothing = object()
    return tuple(name for name in sorted({*before, *after}) if before.get(name, nothing) != after.get(name, nothing))


def is_alike(one: object, other: object) -> bool:
    """Return True if values are equal, but for times some seconds apart, and ids of triggers."""
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            is_alike(_without_ids(name, one[name]), _without_ids(name, other[name])) for name in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_alike, one, other))
    first, second = _time_of(one), _time_of(other)
    return first is not None and second is not None and abs(first - second) <= _ALIKE_MS


def _without_ids(name: str, value: object) -> object:
    """Return triggers without their ids: a fact that is decided anew has another one."""
    if name != TRIGGERS or not isinstance(value, list):
        return value
    return [
        {name: said for name, said in one.items() if name != "id"} if isinstance(one, dict) else one for one in value
    ]


def _time_of(value: object) -> int | None:
    if isinstance(value, int) and value >= FIRST_TIME_MS:
        return value
    try:
        return times.to_ms(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _place(one: DecidedRow) -> tuple[int, str]:
    return one.at_ms, repr(one.key)

"""The model of dispatch, as a plain function of all reports: nothing is stored, swept or published.

Written from the purpose of dispatch, without its library. Reports that came too late to count are left out first;
reports that had not come when a decision was due do not count for that decision. If everything arrives within the
hold-back, neither of the two leaves anything out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from andon.runtime import times

MINUTE: Final = 60_000
HOLD_BACK: Final = 30_000

NORMAL: Final = "NORMAL"

RULES: Final = frozenset({"assign", "at-risk", "back", "escalate", "silent"})
"""Those that it models; others may stand beside them."""


@dataclass(frozen=True, slots=True, order=True)
class Report:
    """A report of a piece of equipment, and the time at which dispatch first received it."""

    at_ms: int
    state: str
    arrived_ms: int = field(compare=False)

    @property
    def is_normal(self) -> bool:
        """True if the equipment reported NORMAL."""
        return self.state == NORMAL

    @property
    def name(self) -> tuple[int, str]:
        """Its name among a decision's triggers."""
        return self.at_ms, self.state


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """That somebody acknowledged, at a time, a log of another time."""

    log_ms: int
    at_ms: int
    state: str

    @property
    def log(self) -> tuple[int, str]:
        """The name of this log's report."""
        return self.log_ms, self.state


@dataclass(frozen=True, slots=True, order=True)
class Decided:
    """A decision: the sort key of its row, the person or the words in it, since when it is so, and upon what."""

    key: str
    says: str
    at_ms: int
    triggers: tuple[tuple[int, str], ...]

    @property
    def kind(self) -> str:
        """Its kind: `assignment`, `escalation`, `equipment-at-risk`, …"""
        parts = self.key.split("#")
        return parts[1] if parts[0] == "decision" else parts[-1]


def decisions(
    reports: Iterable[Report],
    acknowledgements: Iterable[Acknowledgement] = (),
    *,
    operator: str | None,
    supervisor: str | None,
) -> list[Decided]:
    """Return the expected decisions about one piece of equipment; None: there is nobody to be named."""
    heard = first_heard(reports)
    timely = in_time(heard)
    found = {*_silences(timely), *_returns(timely)}
    for episode in episodes(timely):
        found |= set(_risks(episode))
    if supervisor is not None:
        found |= set(_escalations(timely, list(acknowledgements), supervisor))
    if operator is not None:
        # Every abnormal log gets somebody, one that came late, too.
        found |= {_assignment(report, operator) for report in heard if not report.is_normal}
    return sorted(found)


def first_heard(reports: Iterable[Report]) -> list[Report]:
    """Return the reports in order; one that came twice counts once."""
    first: dict[tuple[int, str], Report] = {}
    for report in sorted(reports, key=lambda report: report.arrived_ms):
        first.setdefault(report.name, report)
    return sorted(first.values())


def in_time(heard: Sequence[Report]) -> list[Report]:
    """Leave out what came when a newer report had been there for longer than the hold-back."""
    return [
        report
        for number, report in enumerate(heard)
        if not any(report.arrived_ms > newer.arrived_ms + HOLD_BACK for newer in heard[number + 1 :])
    ]


@dataclass(frozen=True, slots=True)
class Episode:
    """Abnormal reports, and the normal one that ended them."""

    reports: list[Report]
    end: Report | None


def episodes(reports: Iterable[Report]) -> list[Episode]:
    """Part reports into episodes."""
    found: list[Episode] = []
    abnormal: list[Report] = []
    for report in reports:
        if not report.is_normal:
            abnormal.append(report)
        elif abnormal:
            found.append(Episode(abnormal, report))
            abnormal = []
    return [*found, Episode(abnormal, None)] if abnormal else found


def _assignment(report: Report, operator: str) -> Decided:
    return Decided(f"{report.state}#{times.to_utc(report.at_ms)}#assignment", operator, report.at_ms, (report.name,))


def _risks(episode: Episode) -> list[Decided]:
    """Find the first report that is the third within 15 minutes, or an ERROR after a WARNING."""
    for number, report in enumerate(episode.reports):
        before = episode.reports[:number]
        since = times.to_utc(episode.reports[0].at_ms)
        key = f"decision#equipment-at-risk#{since}"
        if number >= 2 and report.at_ms - before[-2].at_ms <= 15 * MINUTE:
            names = (before[-2].name, before[-1].name, report.name)
            return [Decided(key, "three abnormal reports in 15 minutes", report.at_ms, names)]
        warnings = [one for one in before if one.state.startswith("WARNING")]
        if report.state.startswith("ERROR") and warnings:
            return [Decided(key, "ERROR after WARNING", report.at_ms, (warnings[-1].name, report.name))]
    return []


def _escalations(
    timely: Sequence[Report], acknowledgements: Sequence[Acknowledgement], supervisor: str
) -> Iterable[Decided]:
    """Find the episodes that, 15 minutes after one of their reports, were neither over nor acknowledged."""
    handed_up = set()
    for asked_at in (report for report in timely if not report.is_normal):
        deadline_ms = asked_at.at_ms + 15 * MINUTE
        known = [report for report in _known(timely, asked_at, deadline_ms) if report.at_ms <= deadline_ms]
        episode = next(episode for episode in episodes(known) if asked_at in episode.reports)
        first = episode.reports[0]
        logs = {report.name for report in episode.reports}
        seen = any(one.at_ms <= deadline_ms and one.log in logs for one in acknowledgements)
        if episode.end is None and not seen and first not in handed_up:
            handed_up.add(first)
            at_ms = first.at_ms + 15 * MINUTE
            last = [report for report in episode.reports if report.at_ms <= at_ms][-1]
            names = (first.name,) if last == first else (first.name, last.name)
            yield Decided(f"{first.state}#{times.to_utc(first.at_ms)}#escalation", supervisor, at_ms, names)


def _silences(timely: Sequence[Report]) -> Iterable[Decided]:
    """Find the reports that none followed for 30 minutes."""
    for report in timely:
        silent_ms = report.at_ms + 30 * MINUTE
        if not any(report < other and other.at_ms <= silent_ms for other in _known(timely, report, silent_ms)):
            since = times.to_utc(report.at_ms)
            yield Decided(f"decision#equipment-silent#{since}", since, silent_ms, (report.name,))


def _returns(timely: Sequence[Report]) -> Iterable[Decided]:
    """Find the first report behind each time at which there was a silence to be told."""
    silences = {silence.at_ms: silence.says for silence in _silences(timely)}
    for last, now in pairwise(timely):
        if ended := [at_ms for at_ms in silences if last.at_ms <= at_ms < now.at_ms]:
            key = f"decision#equipment-back#{times.to_utc(now.at_ms)}"
            yield Decided(key, silences[max(ended)], now.at_ms, (last.name, now.name))


def _known(timely: Sequence[Report], report: Report, then_ms: int) -> list[Report]:
    """List what had come when it was time to decide upon a report."""
    due_ms = max(then_ms, report.arrived_ms) + HOLD_BACK
    return [other for other in timely if other.arrived_ms <= due_ms]

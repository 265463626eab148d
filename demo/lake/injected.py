"""Anomalies put into made-up histories, so that one knows what there is to be found: bursts, silences, odd states.

Not all of them are easy: a burst has 12 to 60 reports in half an hour, a silence lasts 10 to 90 minutes.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from andon.runtime.clock import MINUTE_MS
from contract.entities.anomalies import AnomalyKind

BURST_MS: Final = 30 * MINUTE_MS
BURST_REPORTS: Final = (12, 60)
SILENCE_MINUTES: Final = (10, 90)
ODD_STATES: Final = ("OVERHEATED", "DOOR_OPEN", "NO_OIL")
KINDS: Final[tuple[AnomalyKind, ...]] = ("burst", "gap", "odd-state")


class Report(NamedTuple):
    """A report of a machine."""

    at_ms: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """An anomaly that is there to be found, from its beginning to the report that must show it at the latest.

    state: of the reports that it has too many of, or too late a successor of, or for the first time.
    """

    kind: AnomalyKind
    machine: str
    state: str
    from_ms: int
    to_ms: int


Put = tuple[list[Report], int, str]
"""All reports, and until when which state says so."""


def inject(
    machine: str, reports: Sequence[Report], *, from_ms: int, each: int, seed: int
) -> tuple[list[Report], list[Injected]]:
    """Return the reports of a machine with so many anomalies of each kind from a time on, and those; far apart."""
    rng = Random(f"{seed}/{machine}/{from_ms}")  # noqa: S311  no secret
    kinds = [kind for kind in KINDS for _ in range(each)]
    rng.shuffle(kinds)
    made, anomalies = [*reports], list[Injected]()
    step_ms = (reports[-1].at_ms - from_ms) // (len(kinds) + 1)
    for number, kind in enumerate(kinds):
        # Each in a span of its own, at its first two thirds, so that none is near another.
        at_ms = from_ms + int(step_ms * (number + rng.uniform(0.1, 0.7)))
        made, until_ms, state = _PUT[kind](made, at_ms, rng)
        anomalies.append(Injected(kind=kind, machine=machine, state=state, from_ms=at_ms, to_ms=until_ms))
    return made, anomalies


def _burst(reports: list[Report], at_ms: int, rng: Random) -> Put:
    """Add a burst of a state that the machine has."""
    state = rng.choice(sorted({report.state for report in reports} - set(ODD_STATES)))
    times = sorted(at_ms + rng.randrange(BURST_MS) for _ in range(rng.randint(*BURST_REPORTS)))
    return sorted([*reports, *(Report(time, state) for time in times)]), times[-1], state


def _silence(reports: list[Report], at_ms: int, rng: Random) -> Put:
    """Take away the reports of a while; the next one ends it."""
    over_ms = at_ms + rng.randint(*SILENCE_MINUTES) * MINUTE_MS
    kept = [report for report in reports if not at_ms <= report.at_ms < over_ms]
    ends = bisect_left(kept, (over_ms,))
    return kept, kept[ends].at_ms, kept[ends - 1].state


def _odd_state(reports: list[Report], at_ms: int, rng: Random) -> Put:
    """Add a state that the machine does not have, once."""
    state = rng.choice(ODD_STATES)
    return sorted([*reports, Report(at_ms, state)]), at_ms, state


_PUT: Final = {"burst": _burst, "gap": _silence, "odd-state": _odd_state}

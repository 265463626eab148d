"""A figure beside its goal."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

WIDTH: Final = 62


class Goal(NamedTuple):
    """At most so much, or at least."""

    sign: str
    bound: float

    def met_by(self, measured: float) -> bool:
        """Return whether a figure, rounded as it is printed, keeps to it."""
        return round(measured, 2) <= self.bound if self.sign == "≤" else round(measured, 2) >= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, in which unit (`x`, `%`, `µs`), and what it is to be."""

    what: str
    measured: float
    unit: str = ""
    goal: Goal | None = None


def report(figures: list[Figure]) -> str:
    """Write the figures among each other, each with its goal and whether it is met."""
    return "\n".join(_line(one) for one in figures)


def cpu_us(rounds: int, events: int, work: Mapping[str, Callable[[], None]]) -> dict[str, list[float]]:
    """Measure the CPU (µs an event, all threads) of several pieces of work in turn, so that noise meets all alike."""
    measured: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, do in work.items():
            started = time.process_time()
            do()
            measured[name].append((time.process_time() - started) / events * 1e6)
    return measured


def median_ratio(measured: list[float], base: list[float]) -> float:
    """Return the median of the ratios of the rounds, as many as both have."""
    return statistics.median(one / other for one, other in zip(measured, base, strict=False))


def _line(figure: Figure) -> str:
    line = f"{figure.what:<{WIDTH}} {figure.measured:>8.2f} {figure.unit:<2}"
    if figure.goal is None:
        return line.rstrip()
    verdict = "met" if figure.goal.met_by(figure.measured) else "MISSED"
    return f"{line}  goal {figure.goal.sign} {figure.goal.bound:g} {figure.unit}: {verdict}"

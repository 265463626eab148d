"""A figure beside its goal, and beside those of others; and where the pages have it.

A page has a place for each, as `<!-- bench table --> … <!-- / -->`: what stands between is written anew. The table is
that of docs/benchmarks.md, the ratios with goals are those of README.md.
"""

import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

WIDTH: Final = 54
OURS: Final = "Andon"
BOTOCORE, POWERTOOLS, AWS_LAMBDA_STREAM = "botocore", "Powertools", "aws-lambda-stream"
COLUMNS: Final = (BOTOCORE, POWERTOOLS, AWS_LAMBDA_STREAM)
"""The peers: this project over botocore, boto3 with Powertools' `BatchProcessor`, and the npm library."""


class Goal(NamedTuple):
    """At most so much, or at least."""

    sign: str
    bound: float

    def met_by(self, measured: float) -> bool:
        """Return True if a figure, rounded as it is printed, keeps to it."""
        return round(measured, 2) <= self.bound if self.sign == "≤" else round(measured, 2) >= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement with its unit (`x`, `%`, `µs`) and goal, and the same of the peers, by `COLUMNS`."""

    what: str
    measured: float
    unit: str = ""
    goal: Goal | None = None
    beside: Mapping[str, float] = field(default_factory=dict)


def heading() -> str:
    """Return the line above the figures."""
    others = "".join(f"  {name:>{len(name)}}" for name in COLUMNS)
    return f"{'':<{WIDTH}} {OURS:>9}   {others}"


def report(figures: Sequence[Figure]) -> str:
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


def row(what: str, number: str, more: str = "") -> str:
    """Write a figure that has no columns beside it."""
    return f"{what:<{WIDTH}} {number:>9} {more}".rstrip()


def _line(figure: Figure) -> str:
    others = "".join(f"  {_number(figure.beside.get(name)):>{len(name)}}" for name in COLUMNS)
    line = f"{figure.what:<{WIDTH}} {_number(figure.measured):>9} {figure.unit:<2}{others}"
    if figure.goal is None:
        return line.rstrip()
    verdict = "met" if figure.goal.met_by(figure.measured) else "MISSED"
    return f"{line}  goal {figure.goal.sign} {figure.goal.bound:g} {figure.unit}: {verdict}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"


PAGES: Final = ("README.md", "docs/benchmarks.md")
PLACE: Final = re.compile(r"(<!-- bench (\w+) -->)(.*?)(<!-- / -->)", re.DOTALL)
OF_ONE: Final = "import "
"""The figure of one handler's import begins with it."""

PART: Final = "… "
"""A figure that begins with it belongs to the one above that does not."""


class Circumstances(NamedTuple):
    """Where figures were measured. loads: the machine's load average of a minute, before and after."""

    cores: int
    python: str
    loads: tuple[float, float]

    def sentence(self) -> str:
        """Return all of it as a sentence."""
        before, after = self.loads
        return f"Measured on {self.cores} cores, load average {before:.1f} before and {after:.1f} after, {self.python}."


def parts(figures: Sequence[Figure], where: Circumstances) -> dict[str, str]:
    """Return what the places are filled with, by their names."""
    shown = [one for one in figures if not one.what.startswith(OF_ONE)]
    return {
        "where": where.sentence(),
        "table": f"\n```\n{heading()}\n{report(shown)}\n```\n",
        "ratios": f"\n\n{ratios(shown)}\n\n",
    }


def ratios(figures: Sequence[Figure]) -> str:
    """Return the figures that are ratios and have a goal, as a table in Markdown."""
    lines, of = ["| figure | measured | goal | |", "|---|---|---|---|"], ""
    for one in figures:
        of = of if one.what.startswith(PART) else one.what
        if one.goal is not None and one.unit == "x":
            name = one.what if of == one.what else f"{of}: {one.what.removeprefix(PART)}"
            verdict = "met" if one.goal.met_by(one.measured) else "**missed**"
            lines.append(f"| {name} | {one.measured:.2f} | {one.goal.sign} {one.goal.bound:g} | {verdict} |")
    return "\n".join(lines)


def missed(page: str) -> list[str]:
    """Return the lines of a page that say that a goal is missed."""
    shown = "".join(place[3] for place in PLACE.finditer(page))
    return [line for line in shown.splitlines() if line.endswith((": MISSED", "| **missed** |"))]


def filled(page: str, by_name: Mapping[str, str]) -> str:
    """Return a page with its places filled.

    Raises:
        KeyError: nothing of the name of a place was measured.

    """
    return PLACE.sub(lambda place: f"{place[1]}{by_name[place[2]]}{place[4]}", page)

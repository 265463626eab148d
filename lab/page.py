"""The figures of `make bench` in the pages: the table of docs/benchmarks.md, the ratios with goals in README.md. Pure.

A page has a place for each, as `<!-- bench table --> … <!-- / -->`: what stands between is written anew.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from lab.figure import Figure, heading, report
from lab.imports import OF_ONE

PAGES: Final = ("README.md", "docs/benchmarks.md")
PLACE: Final = re.compile(r"(<!-- bench (\w+) -->)(.*?)(<!-- / -->)", re.DOTALL)
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


def filled(page: str, by_name: Mapping[str, str]) -> str:
    """Return a page with its places filled.

    Raises:
        KeyError: nothing of the name of a place was measured.

    """
    return PLACE.sub(lambda place: f"{place[1]}{by_name[place[2]]}{place[4]}", page)

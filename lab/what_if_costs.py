"""`make what-if` over a lake of made-up events, by the same rules before and after: its CPU and its memory.

It runs in a process of its own, with two more for the trees. An event's cost is all of their CPU over the events that
were replayed, which are those that the rule's service hears, or has published. The lake has no rosters, which are in
no event that is made up: those of its company are given beside it. Its supervisors answer to `escalate` as it is.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from andon.project import project
from andon.tools.what_if.asked import asked_in
from andon.tools.what_if.replaying import DEFAULT, LakePlace, what_if
from andon.tools.what_if.report import ProcessCost, own_cost
from andon.tools.what_if.trees import room
from demo.lake.synthetic import Company, supervisor_of
from lab.figure import Figure, Goal, report
from services.dispatch.roster import ROSTERS

# Timers that move with each report; a look back over an episode, and a roster. Others are not made up as rules decide
# them: `assign` names other operators, and `at-risk` decides by more patterns.
RULES: Final = ("silent", "escalate")
# 1,200 machines: three days of a million events, so that each five minutes are an object of 1,500.
COMPANY: Final = Company(factories=10, lines=10, machines=12)

AT_MOST_US: Final = Goal("≤", 100)
AT_MOST_MB: Final = Goal("≤", 400)


class Replayed(NamedTuple):
    """Figures of one question. costs: see `WhatIf`. calibration: percent, and decisions in the lake."""

    rule: str
    events: int
    costs: Mapping[str, ProcessCost]
    calibration: tuple[float, int]

    @property
    def cpu_us(self) -> float:
        """The CPU of all processes, for an event."""
        return sum(one.cpu_s for one in self.costs.values()) / self.events * 1e6

    @property
    def peak_mb(self) -> float:
        """The most memory that one of the processes held."""
        return max(one.peak_bytes for one in self.costs.values()) / 1e6


def measure(lake: Path, rules: Sequence[str] = RULES) -> str:
    """Ask about some rules, one after the other; return the report."""
    return "\n".join(lines_of([_apart(lake, rule) for rule in rules]))


def _apart(lake: Path, rule: str) -> Replayed:
    """Ask in a process of its own, whose memory is nobody else's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(ask, lake, rule).result()


def ask(lake: Path, rule: str) -> Replayed:
    """Ask what a rule would have decided if nothing were changed."""
    before = own_cost()
    with tempfile.TemporaryDirectory(prefix="andon-rosters-") as folder, room() as trees:
        file = Path(folder) / "rosters.json"
        file.write_text(json.dumps({"DISPATCH_TABLE": [*rosters_of(COMPANY)]}))
        asked = asked_in({"RULE": rule, "ROSTERS": str(file)})
        told = what_if(asked, LakePlace(lake, None, DEFAULT), project().root, trees)
    lake_cost = told.costs["lake"]
    costs = {**told.costs, "lake": lake_cost._replace(cpu_s=lake_cost.cpu_s - before.cpu_s)}
    return Replayed(rule, told.lake.events, costs, (told.calibration.percent, told.calibration.lake))


def rosters_of(company: Company) -> Iterator[dict[str, object]]:
    """Yield the row of each factory's roster."""
    for factory in sorted({machine.factory for machine in company.all_machines()}):
        people = {"operators": company.operators_of(factory), "supervisor": supervisor_of(factory)}
        yield {**ROSTERS.key_of(factory), **people, "discriminator": ROSTERS.kind}


def lines_of(replayed: Sequence[Replayed]) -> Iterator[str]:
    """Yield the figures, each with its goal."""
    for one in replayed:
        name = f"what-if RULE={one.rule}"
        percent, decisions = one.calibration
        parts = ", ".join(f"{part} {cost.cpu_s / one.events * 1e6:,.1f}" for part, cost in one.costs.items())
        figures = [
            Figure(f"{name}: CPU an event, lake and both trees", one.cpu_us, "µs", AT_MOST_US),
            Figure(f"{name}: memory of the largest process", one.peak_mb, "MB", AT_MOST_MB),
        ]
        yield report(figures)
        held = ", ".join(f"{part} {cost.peak_bytes / 1e6:,.0f} MB" for part, cost in one.costs.items())
        yield f"  {one.events:,} events; µs: {parts}; {held}; calibration {percent:.1f} % of {decisions:,}"


def main(arguments: list[str]) -> int:
    """Print what questions cost about a lake of `python -m lab.lake --keep`."""
    parser = argparse.ArgumentParser(prog="python -m lab.what_if_costs")
    parser.add_argument("lake", type=Path, help="its folder")
    parser.add_argument("rules", nargs="*", default=RULES, help="as RULE= has them")
    given = parser.parse_args(arguments)
    print(measure(given.lake, given.rules))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

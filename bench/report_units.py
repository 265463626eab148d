"""Units and requests of a state report, by function, beside the write units that docs/ say.

Machines report every five minutes, one report in ten is abnormal, and a sweep runs after each round. First some rounds
are not counted, until the sweep evaluates in each round as much as is scheduled in it. A timer moves every six rounds.
"""

from collections.abc import Mapping
from math import isclose
from typing import Final

from andon.testing.memory.meter import Used
from bench.simulate.sample import BEGIN_MS, Factory

MACHINES: Final = 10
ABNORMAL_EVERY: Final = 10
ROUND_MS: Final = 5 * 60_000
UNCOUNTED_ROUNDS: Final = 8
ROUNDS: Final = 12
REPORTS: Final = MACHINES * ROUNDS

SCHEDULED: Final = 0.1 * 2
"""Rows of what is due, a report: two of an abnormal one."""

MOVED: Final = 2 / 6
"""Write units of a timer that is put and removed every 30 minutes."""

NEAR: Final = 0.05
"""A timer is renewed now and then, see `andon/rules/gaps.py`."""

ON_PAPER: Final = {
    "equipment command": 1.0,
    "dispatch listener": 1.0,
    "dispatch trigger": SCHEDULED + 0.1 * (1 + 1),  # an operator is assigned, and that is remembered
    "dispatch sweep": SCHEDULED + MOVED,
    "anomalies listener": 1.0,
    "anomalies trigger": 0.0,
    "anomalies sweep": 0.0,
}
"""Write units a report, as versioning.md, rules.md and anomalies.md in docs/ have them, if one in ten is abnormal."""


def count() -> Mapping[str, Used]:
    """Live through all rounds; return what each function used in those that count."""
    with Factory(MACHINES) as factory:
        for number in range(UNCOUNTED_ROUNDS + ROUNDS):
            if number == UNCOUNTED_ROUNDS:
                factory.forget_counts()
            factory.now_ms = BEGIN_MS + (number + 1) * ROUND_MS
            for place, machine in enumerate(factory.machines):
                factory.put(machine, "NORMAL" if (place + number) % ABNORMAL_EVERY else "WARNING1")
            factory.run()
            factory.sweep()
        return dict(factory.used)


def differing(used: Mapping[str, Used]) -> list[str]:
    """Return the functions whose write units are not those on paper."""
    none = Used()
    units = {name: used.get(name, none).write_units / REPORTS for name in ON_PAPER}
    return [name for name, paper in ON_PAPER.items() if not isclose(units[name], paper, abs_tol=NEAR)]


def report(used: Mapping[str, Used]) -> str:
    """Write what the functions used for a report among each other, those that write most first."""
    lines = [f"{'a report':<25} {'requests':>8} {'writes':>7} {'paper':>6} {'reads':>6} {'entries':>7}"]
    differs = differing(used)
    for name, one in sorted(used.items(), key=lambda pair: -pair[1].write_units):
        paper = f"{ON_PAPER[name]:.2f}" if name in ON_PAPER else ""
        lines.append(
            f"{name:<25} {one.requests.total() / REPORTS:>8.2f} {one.write_units / REPORTS:>7.2f} {paper:>6}"
            f" {one.reads / REPORTS:>6.2f} {one.entries / REPORTS:>7.2f}{'  <- differs' if name in differs else ''}"
        )
    return "\n".join(lines)

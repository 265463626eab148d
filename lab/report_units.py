"""Units and requests of a state report, by function, beside the write units that docs/ say.

Machines report every five minutes, one report in ten is abnormal, and a sweep runs after each round. First some rounds
are not counted, until the sweep evaluates in each round as much as is scheduled in it. A timer moves every six rounds.
"""

import json
from collections.abc import Mapping
from math import isclose
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.timing import AtOnce, Screened
from andon.testing.memory.meter import Used
from contract.names import NORMAL
from contract.reports import REPORTED
from lab.simulate.sample import BEGIN_MS, Factory
from lab.workload import SAMPLES
from services.dispatch.control import CONTROL

MACHINES: Final = 10
ABNORMAL_EVERY: Final = 10
ROUND_MS: Final = 5 * 60_000
UNCOUNTED_ROUNDS: Final = 8
ROUNDS: Final = 12
REPORTS: Final = MACHINES * ROUNDS


def due_after_ms(state: str, *, first: bool = False) -> frozenset[int]:
    """Return the delays after which rules of dispatch are due, each a row; gaps need one at the first report alone."""
    sample = DomainEvent.from_wire(json.loads((SAMPLES / "domain" / "state-reported.json").read_text()))
    report = sample._replace(entities={"state": {**sample.entity("state").fields, "state": state}})
    rules = CONTROL.rules.at(REPORTED[0], report)
    scheduled = [rule for rule in rules if not isinstance(rule.timing, (AtOnce, Screened))]
    return frozenset(rule.after_ms for rule in scheduled if first or rule.timing.gap_ms is None)


ABNORMAL: Final = "WARNING1"
SCHEDULED: Final = (len(due_after_ms(ABNORMAL)) + (ABNORMAL_EVERY - 1) * len(due_after_ms(NORMAL))) / ABNORMAL_EVERY
"""Rows of what is due, a report; those of a first report are too few to count."""

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
                factory.put(machine, NORMAL if (place + number) % ABNORMAL_EVERY else ABNORMAL)
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

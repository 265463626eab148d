"""What a state report makes each function do: the whole loop runs on the emulator, requests and units are counted.

Machines report every five minutes, one report in ten is abnormal, and a sweep runs after each round. First some rounds
are not counted, until the sweep evaluates in each round as much as is scheduled in it. A timer moves every six rounds.
"""

import io
import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from math import isclose
from typing import Any, Final

from andon.packages.package import Package
from andon.runtime import clock, times
from andon.testing.emulated import EmulatedLoop
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.wire.bucket import Bucket
from bench.meter import Meter, Usage
from bench.trained import train
from bench.workload import SAMPLES
from services.anomalies.tables import BUCKETS

MACHINES: Final = 10
ABNORMAL_EVERY: Final = 10
ROUND_MS: Final = 5 * 60_000
UNCOUNTED_ROUNDS: Final = 8
ROUNDS: Final = 12

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

FAULTS: Final = "faults listener"


class Faulty(Exception):
    """What was measured is not what happens."""


@dataclass(slots=True)
class Bill:
    """What one function used."""

    usage: Usage = field(default_factory=Usage)


def differing(bills: Mapping[str, Bill], *, reports: int = MACHINES * ROUNDS) -> list[str]:
    """Return the functions whose write units are not those on paper."""
    measured = {name: bill.usage.write_units / reports for name, bill in bills.items()}
    return [name for name, paper in ON_PAPER.items() if not isclose(measured.get(name, 0), paper, abs_tol=NEAR)]


class MeteredLoop(EmulatedLoop):
    """The whole loop, with a bill for each function."""

    def __init__(self, endpoint: str, meter: Meter) -> None:
        super().__init__(endpoint)
        self.bills: dict[str, Bill] = {}
        self._meter = meter

    def invoke(self, package: Package, role: str, event: dict[str, Any]) -> Any:  # noqa: ANN401
        """Call a handler, on its bill."""
        name = f"{package.name} {role}"
        with self._meter.on_behalf_of(name) as usage:
            self.bills.setdefault(name, Bill(usage))
            return super().invoke(package, role, event)


def measure(endpoint: str) -> dict[str, Bill]:
    """Live through all rounds on an empty emulator; return the bills of those that count."""
    # It ends at the present: the bus stamps messages with the real time, and what is ahead of that is poison.
    start_ms = clock.now_ms() - (UNCOUNTED_ROUNDS + ROUNDS) * ROUND_MS
    with redirect_stdout(io.StringIO()), Meter() as meter, MeteredLoop(endpoint, meter) as loop:
        with frozen_clock(start_ms):
            _prepare(loop)
        for number in range(UNCOUNTED_ROUNDS + ROUNDS):
            if number == UNCOUNTED_ROUNDS:
                loop.bills.clear()
                meter.usage.clear()
            with frozen_clock(start_ms + (number + 1) * ROUND_MS):
                _round(loop, number)
        require_no_faults(loop.bills)
        return loop.bills


def require_no_faults(bills: Mapping[str, Bill]) -> None:
    """Check that nothing became a fault: then much would have been left out, and cost nothing.

    Raises:
        Faulty: something did.

    """
    if FAULTS in bills:
        raise Faulty("a report became a fault")


def report(bills: dict[str, Bill], *, reports: int = MACHINES * ROUNDS) -> str:
    """Write what the functions used for a report among each other, those that write most first."""
    names = f"{'requests':>8} {'writes':>7} {'paper':>6} {'reads':>6} {'entries':>7}"
    lines = [f"{'a report, on the emulator':<25} {names}"]
    differs = differing(bills, reports=reports)
    for name, bill in sorted(bills.items(), key=lambda pair: -pair[1].usage.write_units):
        paper = f"{ON_PAPER[name]:.2f}" if name in ON_PAPER else ""
        usage = bill.usage
        lines.append(
            f"{name:<25} {usage.requests.total() / reports:>8.2f} {usage.write_units / reports:>7.2f} {paper:>6}"
            f" {usage.read_units / reports:>6.2f} {usage.entries / reports:>7.2f}"
            f"{'  <- differs' if name in differs else ''}"
        )
    return "\n".join(lines)


def _prepare(loop: Loop) -> None:
    """Register the machines and who works in their factory; learn what is usual of them."""
    equipment, roster = (_body(name) for name in ("register-equipment", "set-roster"))
    for machine in range(MACHINES):
        loop.request("PUT /equipment/{id}", path={"id": f"press-{machine}"}, body=equipment)
    train(Bucket(*BUCKETS), (f"press-{machine}" for machine in range(MACHINES)))
    loop.request("PUT /factories/{factoryId}/roster", path={"factoryId": equipment["factoryId"]}, body=roster)
    loop.run()


def _round(loop: Loop, number: int) -> None:
    """Let each machine report, and sweep."""
    at = times.to_utc(clock.now_ms())
    for machine in range(MACHINES):
        state = "WARNING1" if (machine + number) % ABNORMAL_EVERY == 0 else "NORMAL"
        body = {"state": state, "detail": "spindle at 81 °C"}
        loop.request(
            "PUT /equipment/{id}/states/{timestamp}", path={"id": f"press-{machine}", "timestamp": at}, body=body
        )
    loop.run()
    loop.sweep()


def _body(sample: str) -> Any:  # noqa: ANN401  JSON
    return json.loads(json.loads((SAMPLES / "http" / f"{sample}.json").read_text())["body"])

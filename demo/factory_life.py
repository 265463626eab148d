"""The events of the demo factory in the order of time: reports of machines, assignments of operators. Pure.

Times are seconds from the start of the simulation.
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from contract.names import NORMAL

WARNING, ERROR = "WARNING1", "ERROR"

REPORTS_EACH_S: Final = 60.0
JITTER: Final = 0.2
SEEN_AFTER_S: Final = (20.0, 120.0)
SEEN_SHARE: Final = 0.75  # of the troubles; the others are handed up by a rule

NEXT: Final = {  # state -> how often each state follows it, in the next report
    NORMAL: {NORMAL: 0.97, WARNING: 0.022, ERROR: 0.008},
    WARNING: {WARNING: 0.5, NORMAL: 0.35, ERROR: 0.15},
    ERROR: {ERROR: 0.7, NORMAL: 0.3},
}
DETAILS: Final = {
    WARNING: ("oil at 81 °C", "pressure is low", "vibration at 7 mm/s", "tool is worn"),
    ERROR: ("emergency stop", "motor is overloaded", "part is jammed", "no compressed air"),
}


@dataclass(frozen=True, slots=True)
class MachineReport:
    """A machine reports its state."""

    machine: str
    state: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Somebody looks after the trouble that a machine reported last."""

    machine: str


Deed = MachineReport | Acknowledgement


@dataclass(frozen=True, slots=True, order=True)
class _Due:
    """A due step: a machine's report or, with `trouble`, the repair of the trouble of that number."""

    at_s: float
    machine: str
    trouble: int | None = None


@dataclass(frozen=True, slots=True)
class _Floor:
    """The machines' states, and the steps that are due; troubles: how many each machine has had."""

    states: dict[str, str]
    due: list[_Due]
    dice: Random
    troubles: Counter[str] = field(default_factory=Counter)

    def lasts(self, repair: _Due) -> bool:
        """Return True if the trouble that a repair is for still lasts."""
        return self.states[repair.machine] != NORMAL and repair.trouble == self.troubles[repair.machine]

    def report(self, one: _Due) -> MachineReport:
        """Let a machine report its next state; somebody sees most of the troubles that begin, later."""
        before, after = self.states[one.machine], _follow(self.states[one.machine], self.dice)
        self.states[one.machine] = after
        if before == NORMAL != after:
            self.troubles[one.machine] += 1
            if self.dice.random() < SEEN_SHARE:
                seen_s = one.at_s + self.dice.uniform(*SEEN_AFTER_S)
                heapq.heappush(self.due, _Due(seen_s, one.machine, self.troubles[one.machine]))
        return MachineReport(one.machine, after, self.dice.choice(DETAILS[after]) if after in DETAILS else None)


def live(
    machines: Sequence[str], states: dict[str, str], *, silent: str, silence_s: float, dice: Random
) -> Iterator[tuple[float, Deed]]:
    """Yield deeds for ever, each with its time.

    states: what machines reported before, NORMAL if nothing is said. silent: the machine that does not report at first;
    after `silence_s` it does again, and the next one of `machines` is silent.
    """
    until_s = silence_s
    due = sorted(_Due(dice.uniform(0, REPORTS_EACH_S), machine) for machine in machines)
    floor = _Floor(dict.fromkeys(machines, NORMAL) | states, due, dice)
    while True:
        one = heapq.heappop(due)
        if one.trouble is not None:
            if floor.lasts(one):
                yield one.at_s, Acknowledgement(one.machine)
            continue
        if one.at_s >= until_s:
            silent, until_s = machines[(machines.index(silent) + 1) % len(machines)], until_s + silence_s
        heapq.heappush(due, _Due(one.at_s + REPORTS_EACH_S * dice.uniform(1 - JITTER, 1 + JITTER), one.machine))
        if one.machine != silent:
            yield one.at_s, floor.report(one)


def _follow(state: str, dice: Random) -> str:
    shares = NEXT[state]
    return dice.choices([*shares], [*shares.values()])[0]

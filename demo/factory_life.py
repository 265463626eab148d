"""What happens in the demo factory: who reports what, and who looks after it, in the order of time. Pure.

Times are seconds from the start of the simulation.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
class Report:
    """A machine reports its state."""

    machine: str
    state: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Somebody looks after the trouble that a machine reported last."""

    machine: str


Deed = Report | Acknowledgement


@dataclass(frozen=True, slots=True, order=True)
class _Due:
    """What is due at a time: a machine's report, or that somebody looks after its trouble of this number."""

    at_s: float
    machine: str
    trouble: int | None = None


def live(
    machines: Sequence[str], states: dict[str, str], *, silent: str, silence_s: float, dice: Random
) -> Iterator[tuple[float, Deed]]:
    """Yield deeds for ever, each with its time.

    states: what machines reported before, NORMAL if nothing is said. silent: the machine that does not report at first;
    after `silence_s` it does again, and the next one of `machines` is silent.
    """
    now = dict.fromkeys(machines, NORMAL) | states
    troubles = dict.fromkeys(machines, 0)
    until_s = silence_s
    due = [_Due(dice.uniform(0, REPORTS_EACH_S), machine) for machine in machines]
    heapq.heapify(due)
    while True:
        one = heapq.heappop(due)
        if one.trouble is not None:
            if now[one.machine] != NORMAL and one.trouble == troubles[one.machine]:
                yield one.at_s, Acknowledgement(one.machine)
            continue
        if one.at_s >= until_s:
            silent, until_s = machines[(machines.index(silent) + 1) % len(machines)], until_s + silence_s
        heapq.heappush(due, _Due(one.at_s + REPORTS_EACH_S * dice.uniform(1 - JITTER, 1 + JITTER), one.machine))
        if one.machine == silent:
            continue
        before, after = now[one.machine], _follow(now[one.machine], dice)
        now[one.machine] = after
        if before == NORMAL != after:
            troubles[one.machine] += 1
            if dice.random() < SEEN_SHARE:
                heapq.heappush(due, _Due(one.at_s + dice.uniform(*SEEN_AFTER_S), one.machine, troubles[one.machine]))
        yield one.at_s, Report(one.machine, after, dice.choice(DETAILS[after]) if after in DETAILS else None)


def _follow(state: str, dice: Random) -> str:
    shares = NEXT[state]
    return dice.choices([*shares], [*shares.values()])[0]

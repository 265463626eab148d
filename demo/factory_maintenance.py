"""Maintenance in the demo factory: orders are planned, and those for today are started and finished. Pure.

Times are seconds from the start of the simulation.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final, Literal

FIRST_S: Final = 20.0
EACH_S: Final = 120.0
AHEAD_DAYS: Final = (0, 0, 1, 2, 4)  # today's are begun, the others fill the agenda
WAITS_S: Final = (10.0, 60.0)
LASTS_S: Final = (60.0, 240.0)

KINDS: Final = {"cleaning": 20, "inspection": 35, "lubrication": 60}  # kind -> minutes that it is expected to take

Step = Literal["plan", "start", "finish"]


@dataclass(frozen=True, slots=True, order=True)
class OrderDeed:
    """A step of an order, which has a number: planned for so many days ahead."""

    number: int
    step: Step
    machine: str
    kind: str
    ahead_days: int


def orders(machines: Sequence[str], *, dice: Random) -> Iterator[tuple[float, OrderDeed]]:
    """Yield steps for ever, each with its time."""
    due: list[tuple[float, OrderDeed]] = []
    for number in count():
        planned_s = FIRST_S + number * EACH_S
        while due and due[0][0] < planned_s:
            yield heapq.heappop(due)
        machine, kind, ahead_days = dice.choice(machines), dice.choice([*KINDS]), dice.choice(AHEAD_DAYS)
        yield planned_s, OrderDeed(number, "plan", machine, kind, ahead_days)
        if not ahead_days:
            began_s = planned_s + dice.uniform(*WAITS_S)
            heapq.heappush(due, (began_s, OrderDeed(number, "start", machine, kind, ahead_days)))
            ended_s = began_s + dice.uniform(*LASTS_S)
            heapq.heappush(due, (ended_s, OrderDeed(number, "finish", machine, kind, ahead_days)))

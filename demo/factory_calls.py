"""Calls for help in the demo factory: somebody raises one, somebody comes, it is closed. Pure.

Times are seconds from the start of the simulation.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final, Literal

FIRST_S: Final = 10.0
EACH_S: Final = 150.0
TAKEN_S: Final = (20.0, 90.0)
LATE_S: Final = (150.0, 200.0)  # the supervisor is asked, too, by then
LATE_SHARE: Final = 0.3
LASTS_S: Final = (30.0, 120.0)

TEXTS: Final = {  # category -> what is said
    "material": ("The last coil is on.", "No more pallets."),
    "quality": ("This part looks odd.", "Two parts have a crack."),
    "safety": ("A guard is loose.", "There is oil on the floor."),
}

CallStep = Literal["raise", "take", "close"]


@dataclass(frozen=True, slots=True, order=True)
class CallDeed:
    """A step of a call, which has a number, at a machine."""

    number: int
    step: CallStep
    machine: str
    category: str
    text: str


def calls(machines: Sequence[str], *, dice: Random) -> Iterator[tuple[float, CallDeed]]:
    """Yield steps for ever, each with its time."""
    due: list[tuple[float, CallDeed]] = []
    for number in count():
        raised_s = FIRST_S + number * EACH_S
        while due and due[0][0] < raised_s:
            yield heapq.heappop(due)
        machine, category = dice.choice(machines), dice.choice([*TEXTS])
        text = dice.choice(TEXTS[category])
        yield raised_s, CallDeed(number, "raise", machine, category, text)
        taken_s = raised_s + dice.uniform(*(LATE_S if dice.random() < LATE_SHARE else TAKEN_S))
        heapq.heappush(due, (taken_s, CallDeed(number, "take", machine, category, text)))
        closed_s = taken_s + dice.uniform(*LASTS_S)
        heapq.heappush(due, (closed_s, CallDeed(number, "close", machine, category, text)))

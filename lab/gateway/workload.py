"""Readings that are made up from a seed: what shall have arrived, whatever happens meanwhile."""

from random import Random
from typing import Final, NamedTuple

from andon_gateway.states import Report

MACHINES: Final = 20
FIRST_MS: Final = 1_790_000_000_000
APART_MS: Final = 7
STATES: Final = ("NORMAL", "WARNING1", "ERROR")
WORDS: Final = ("oil at 81 °C", 'a "quote"', "", "línea 3", "x" * 200)
POISON: Final = "never taken"
POISONOUS: Final = 0.01


class Made(NamedTuple):
    """A report that was made up."""

    machine: str
    report: Report

    @property
    def is_poison(self) -> bool:
        """True if the API refuses it for ever."""
        return self.report.detail == POISON


class Machines(NamedTuple):
    """Whose reports are made up: machines with a prefix, from a time on; `poisoned`: the one of the refused reports."""

    prefix: str = "press-"
    first_ms: int = FIRST_MS
    poisoned: str | None = None


def workload(count: int, seed: int, machines: Machines | None = None) -> list[Made]:
    """Return reports in the order in which they happen; the times of a machine increase."""
    machines, chance = machines or Machines(), Random(seed)  # noqa: S311  readings are no secret
    made = []
    for number in range(count):
        detail = POISON if chance.random() < POISONOUS else chance.choice((None, *WORDS))
        report = Report(chance.choice(STATES), machines.first_ms + number * APART_MS, detail)
        machine = f"{machines.prefix}{chance.randrange(MACHINES)}"
        made.append(Made(machines.poisoned or machine if detail == POISON else machine, report))
    return made

"""Readings that are made up from a seed: what shall have arrived, whatever happens meanwhile."""

from random import Random
from typing import Final, NamedTuple

from andon_gateway.states import Report

MACHINES: Final = 20
FIRST_MS: Final = 1_790_000_000_000
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


def workload(count: int, seed: int) -> list[Made]:
    """Return reports in the order in which they happen; the times of a machine increase."""
    chance = Random(seed)  # noqa: S311  readings are no secret
    made = []
    for number in range(count):
        detail = POISON if chance.random() < POISONOUS else chance.choice((None, *WORDS))
        report = Report(chance.choice(STATES), FIRST_MS + number * 7, detail)
        made.append(Made(f"press-{chance.randrange(MACHINES)}", report))
    return made

"""People and things beside machines: plants, their screens and people. All of it is assumed; a bill says so."""

from typing import Final, NamedTuple

from lab.simulate.counted import EVERY_S

MACHINES: Final = 200
"""Of a plant, which is a company of its own: all of them are on a screen of it."""

SCREENS: Final = 1
"""Of a plant, on a wall, day and night."""

PEOPLE: Final = 20
"""Of a plant."""

OPEN_HOURS: Final = 1.0
"""Of a day, that a person has the page open."""

LOADS: Final = 4
"""Of the page, by a person in a day, of which a browser has nothing."""

TOLD: Final = 1.0
"""Messages to a person in a day."""

SMS_SHARE: Final = 0.1
"""Of those messages."""

QUESTIONS_A_DAY: Final = 1
"""So often each saved query is asked, about `ASKED_DAYS`."""

ASKED_DAYS: Final = 7
DEPLOYMENTS: Final = 8
"""In a month, each of which changes all functions."""

DAY_HOURS: Final = 24


class Plants(NamedTuple):
    """So many plants, as a part of one may be."""

    number: float

    @classmethod
    def of_rate(cls, rate: float) -> "Plants":
        """Return the plants whose machines report so often a second."""
        return cls(rate * EVERY_S / MACHINES)

    @property
    def machines(self) -> float:
        """All machines."""
        return self.number * MACHINES

    @property
    def people(self) -> float:
        """All people."""
        return self.number * PEOPLE

    @property
    def looking(self) -> float:
        """The screens of a plant that look at it, on average: on walls, and those of people."""
        return SCREENS + PEOPLE * OPEN_HOURS / DAY_HOURS

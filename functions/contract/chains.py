"""Chains: whom to ask for help, and after how many minutes. Pure; for all services that ask.

A chain begins `on` a state, the beginning of one (`WARNING*`), `SILENT`, or a call of a category (`call:material`). All
its times are minutes after one moment, the trouble's: a reminder is no event that causes the next one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Self

from contract.duty import MANAGER, OPERATOR, SUPERVISOR, Roster
from contract.entities.alerts import TICKS, Urgency

SILENT: Final = "SILENT"
"""The state of a machine that reports nothing any more; it reports none, so that nobody else says this of it."""

CALL: Final = "call:"
"""Prefix of what a call of a category begins."""

ASSIGNED: Final = "assigned"
DUTY: Final = "duty:"
ROLES_ON_DUTY: Final = tuple(f"{DUTY}{role}" for role in (OPERATOR, SUPERVISOR, MANAGER))
NO_PERSONS: Final = frozenset({ASSIGNED, *ROLES_ON_DUTY})
"""Whom a step may tell beside a person."""

AT_ONCE: Final = 0


class Asking(NamedTuple):
    """Somebody to be asked for help, `minutes` after the trouble began; `repeat` counts reminders, 0 is the first time.

    step: of the chain, from 1. tell: an id of a person, `assigned`, or `duty:` and a role.
    """

    chain: str
    step: int
    repeat: int
    minutes: int
    tell: str
    urgency: Urgency


class Step(NamedTuple):
    """A step of a chain: `after` so many minutes somebody is asked, and then again each `every` minutes, `times` times.

    every: 0 if nobody is reminded.
    """

    after: int
    tell: str
    urgency: Urgency
    every: int = 0
    times: int = 0

    @classmethod
    def of(cls, step: Mapping[str, Any]) -> Self:
        """Return a step of a row, or of an event."""
        every, times = int(step.get("every", 0)), int(step.get("times", 0))
        return cls(int(step["after"]), step["tell"], step["urgency"], every, times)

    @property
    def minutes(self) -> list[int]:
        """The minutes after which somebody is asked."""
        return [self.after + repeat * self.every for repeat in range(self.times + 1)]


class Chain(NamedTuple):
    """A chain of a factory: its beginnings, its lines (none: all), and its steps."""

    id: str
    on: tuple[str, ...]
    lines: frozenset[str]
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, chain: Mapping[str, Any]) -> Self:
        """Return a chain of a row, or of an event."""
        lines = frozenset(chain.get("lines", ()))
        return cls(chain["id"], tuple(chain["on"]), lines, tuple(map(Step.of, chain["steps"])))

    def begins_on(self, what: str, line_id: str | None) -> bool:
        """Return True if it is for a state, or a call, on a line."""
        return (not self.lines or line_id in self.lines) and any(_matches(pattern, what) for pattern in self.on)

    def askings(self) -> Iterator[Asking]:
        """Yield all that it asks."""
        for number, step in enumerate(self.steps, start=1):
            for repeat, minutes in enumerate(step.minutes):
                yield Asking(self.id, number, repeat, minutes, step.tell, step.urgency)


def require_ticks(said: Mapping[str, Any]) -> None:
    """Check when a step asks.

    Raises:
        ValueError: it says half of its reminders, or asks at a minute at which nothing is due.

    """
    if ("every" in said) != ("times" in said):
        raise ValueError("must have both every and times, or none of them")
    if wrong := sorted({*Step.of(said).minutes} - {AT_ONCE, *TICKS}):
        raise ValueError(f"must ask nobody after {', '.join(map(str, wrong))} minutes: nothing is due then")


def chains_in(content: Mapping[str, Any] | None) -> tuple[Chain, ...]:
    """Return the chains of a row, or of an event; None: there are none."""
    return () if content is None else tuple(map(Chain.of, content["chains"]))


def askings_of(chains: Iterable[Chain], what: str, line_id: str | None) -> list[Asking]:
    """Return the askings of the chains about a state, or a call, on a line; those that are due first come first."""
    begun = (chain for chain in chains if chain.begins_on(what, line_id))
    return sorted((asking for chain in begun for asking in chain.askings()), key=lambda asking: asking.minutes)


def ticks_of(askings: Iterable[Asking]) -> list[int]:
    """Return the minutes at which somebody is to be asked, each once, but for at once."""
    return sorted({asking.minutes for asking in askings} - {AT_ONCE})


def person_for(
    tell: str, duty: Roster, *, subject: str, assigned: str | None, gone: Collection[str] = ()
) -> str | None:
    """Return the person that a step means; None: nobody on duty.

    subject: whom an operator on duty is chosen for. assigned: who has it already, if anybody has. gone: who was erased,
    see `Roster.without`.
    """
    if tell == ASSIGNED:
        return duty.operator_for(subject) if assigned is None or assigned in gone else assigned
    role = tell.removeprefix(DUTY)
    if role == tell:
        return None if tell in gone else tell
    by_role = {OPERATOR: duty.operator_for(subject), SUPERVISOR: duty.supervisor, MANAGER: duty.manager}
    return by_role[role]


def _matches(pattern: str, what: str) -> bool:
    return what.startswith(pattern[:-1]) if pattern.endswith("*") else what == pattern

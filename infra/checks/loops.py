"""Who hears and who publishes what: events that cause each other for ever do not synthesise. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

ANY: Final = "*"

Topic = tuple[str, str]
"""(source, type); either may be ANY."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A package on the bus: what it hears, and what it may publish because it heard it.

    latched: what it hears behind a latch, which lets a thing through once: a second round would end there.
    """

    name: str
    hears: frozenset[Topic] = frozenset()
    publishes: frozenset[Topic] = frozenset()
    latched: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """One participant's event reaches another (or itself)."""

    publisher: str
    type: str
    hearer: str


def shortest_loop(participants: Iterable[Participant]) -> tuple[Step, ...]:
    """Find the shortest way on which an event could cause itself; empty if there is none."""
    everybody = tuple(participants)
    steps = [step for publisher in everybody for hearer in everybody for step in _steps(publisher, hearer)]
    loops = (_way_back(participant.name, steps) for participant in everybody)
    return min((loop for loop in loops if loop), key=len, default=())


def refuse_loops(participants: Iterable[Participant]) -> None:
    """Refuse participants whose events could cause each other without end.

    Raises:
        ValueError: they could; with the way that the events would go.

    """
    loop = shortest_loop(participants)
    if loop:
        way = " ".join(f"{step.publisher} -{step.type}->" for step in loop)
        raise ValueError(
            f"events would go round for ever: {way} {loop[0].publisher}. Let one of them hear it behind a latch."
        )


def _steps(publisher: Participant, hearer: Participant) -> list[Step]:
    if not publisher.hears:
        return []  # nothing that it publishes is caused by an event
    heard = hearer.hears - hearer.latched
    types = {
        published[1] if heard_topic[1] == ANY else heard_topic[1]
        for published in publisher.publishes
        for heard_topic in heard
        if _meet(published, heard_topic)
    }
    return [Step(publisher.name, event_type, hearer.name) for event_type in sorted(types)]


def _meet(published: Topic, heard: Topic) -> bool:
    return all(ANY in pair or pair[0] == pair[1] for pair in zip(published, heard, strict=True))


def _way_back(start: str, steps: list[Step]) -> tuple[Step, ...]:
    """Search breadth first from a participant back to it."""
    ways: deque[tuple[Step, ...]] = deque((step,) for step in steps if step.publisher == start)
    been: set[str] = set()
    while ways:
        way = ways.popleft()
        here = way[-1].hearer
        if here == start:
            return way
        if here not in been:
            been.add(here)
            ways.extend((*way, step) for step in steps if step.publisher == here)
    return ()

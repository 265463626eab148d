"""Refuse subscriptions by which events could cause each other for ever. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from patterns.events.topic import ANY, Topic, matches


@dataclass(frozen=True, slots=True)
class Participant:
    """A package on the bus: what it subscribes to, and what it may publish because of that.

    latched: what it subscribes to behind a latch, which lets a thing through once, so that a second round ends there.
    """

    name: str
    subscribes: frozenset[Topic] = frozenset()
    publishes: frozenset[Topic] = frozenset()
    latched: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """An event of one participant reaches another, or the same one."""

    publisher: str
    type: str
    subscriber: str


def shortest_loop(participants: Iterable[Participant]) -> tuple[Step, ...]:
    """Return the shortest way on which an event could cause itself; empty if there is none."""
    everybody = tuple(participants)
    steps = [step for publisher in everybody for subscriber in everybody for step in _steps(publisher, subscriber)]
    loops = (_way_back(participant.name, steps) for participant in everybody)
    return min((loop for loop in loops if loop), key=len, default=())


def refuse_loops(participants: Iterable[Participant]) -> None:
    """Refuse participants whose events could cause each other for ever.

    Raises:
        ValueError: they could; with the way that the events would go.

    """
    loop = shortest_loop(participants)
    if loop:
        way = " ".join(f"{step.publisher} -{step.type}->" for step in loop)
        raise ValueError(
            f"events would go round for ever: {way} {loop[0].publisher}. Let one of them subscribe behind a latch."
        )


def _steps(publisher: Participant, subscriber: Participant) -> list[Step]:
    if not publisher.subscribes:
        return []  # nothing that it publishes is caused by an event
    types = {
        published[1] if topic[1] == ANY else topic[1]
        for published in publisher.publishes
        for topic in subscriber.subscribes - subscriber.latched
        if matches(published, topic)
    }
    return [Step(publisher.name, event_type, subscriber.name) for event_type in sorted(types)]


def _way_back(start: str, steps: list[Step]) -> tuple[Step, ...]:
    """Search breadth first from a participant back to it."""
    ways: deque[tuple[Step, ...]] = deque((step,) for step in steps if step.publisher == start)
    visited: set[str] = set()
    while ways:
        way = ways.popleft()
        here = way[-1].subscriber
        if here == start:
            return way
        if here not in visited:
            visited.add(here)
            ways.extend((*way, step) for step in steps if step.publisher == here)
    return ()

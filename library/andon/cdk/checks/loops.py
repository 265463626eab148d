"""Refuse subscriptions by which events could cause each other for ever, or come back to where they began. Pure.

Behind a latch a subscriber writes what it gets and publishes nothing of it: the way of an event ends there. Two
versions of a service that subscribe to each other each need one. With one of the two the way is not endless, and yet
an edit comes back to the service where it was made, as if it had been made in the other one.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from andon.events.topic import ANY, Topic, is_included

_ECHO = 2
"""The steps on which an edit comes back from another version of the service."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A package on the bus: its subscriptions, and the facts that it may publish because of them.

    latched: what it subscribes to behind a latch, because of which it publishes nothing.
    """

    name: str
    subscribes: frozenset[Topic] = frozenset()
    publishes: frozenset[Topic] = frozenset()
    latched: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class Hop:
    """An event of one participant reaches another, or the same one; `is_latched`: it ends there."""

    publisher: str
    type: str
    subscriber: str
    is_latched: bool = False


def shortest_loop(participants: Iterable[Participant]) -> tuple[Hop, ...]:
    """Return the shortest way on which an event could come back to its publisher; empty if there is none."""
    everybody = tuple(participants)
    steps = [step for publisher in everybody for subscriber in everybody for step in _steps(publisher, subscriber)]
    loops = (_way_back(participant.name, steps) for participant in everybody)
    return min((loop for loop in loops if loop), key=len, default=())


def refuse_loops(participants: Iterable[Participant]) -> None:
    """Refuse participants with events that could cause each other for ever, or come back to their origin.

    Raises:
        ValueError: they could; with the way that the events would go.

    """
    loop = shortest_loop(participants)
    if not loop:
        return
    way = " ".join(f"{step.publisher} -{step.type}->" for step in loop)
    if loop[-1].is_latched:
        open_to = ", ".join(step.subscriber for step in loop[:-1])
        raise ValueError(
            f"an edit would come back to where it was made: {way} {loop[0].publisher}. Behind a latch: not {open_to}."
        )
    raise ValueError(
        f"events would go round for ever: {way} {loop[0].publisher}. Let one of them subscribe behind a latch."
    )


def _steps(publisher: Participant, subscriber: Participant) -> list[Hop]:
    types = {
        (published[1] if topic[1] == ANY else topic[1], topic in subscriber.latched)
        for published in publisher.publishes
        for topic in subscriber.subscribes
        if is_included(published, topic)
    }
    return [Hop(publisher.name, event_type, subscriber.name, latched) for event_type, latched in sorted(types)]


def _way_back(start: str, steps: list[Hop]) -> tuple[Hop, ...]:
    """Search breadth first from a participant back to it."""
    ways: deque[tuple[Hop, ...]] = deque((step,) for step in steps if step.publisher == start)
    visited: set[str] = set()
    while ways:
        way = ways.popleft()
        here = way[-1].subscriber
        # Behind a latch a longer way ends well: somebody decided upon the edit, and that decision crosses.
        if here == start and (not way[-1].is_latched or len(way) <= _ECHO):
            return way
        if here not in visited and not way[-1].is_latched:
            visited.add(here)
            ways.extend((*way, step) for step in steps if step.publisher == here)
    return ()

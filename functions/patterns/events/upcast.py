"""Schema evolution: events that were told in an older shape -> the shape of today, before a view looks at them.

Events live for ever (in the lake, in dead-letter queues, in replays), so that a view never forgets how to read one. An
upcaster is pure, takes one step, and gives back as it is what has the newer shape already.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from patterns.events.domain_event import DomainEvent

Entities = Mapping[str, Any]

Upcasters = Mapping[tuple[str, str], tuple[Callable[[Entities], Entities], ...]]
"""`(source, type)` -> the steps from the oldest shape of the event's entities to today's, in order."""

NONE: Upcasters = {}


def upcast(event: DomainEvent, upcasters: Upcasters, *, source: str) -> DomainEvent:
    """Give an event in the shape of today; its id, type and timestamp are what they were."""
    steps = upcasters.get((source, event.type), ())
    if not steps:
        return event
    return replace(event, entities=reduce(lambda entities, step: step(entities), steps, event.entities))

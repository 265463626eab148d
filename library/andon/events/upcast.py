"""Schema evolution: events that were published in an older shape -> the shape of today, before a view reads them.

Old events come back: from the lake, from dead-letter queues, from replays. So a view reads every shape that was ever
published. An upcaster is pure, takes one step, and returns unchanged what has the newer shape already.
"""

from collections.abc import Callable, Mapping

from andon.events.actor import with_actor
from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import JsonMapping

Entities = JsonMapping

Upcasters = Mapping[tuple[str, str], tuple[Callable[[Entities], Entities], ...]]
"""`(source, type)` -> the steps from the oldest shape of the event's entities to today's, in order."""

NONE: Upcasters = {}


def upcast(event: DomainEvent, upcasters: Upcasters, *, source: str) -> DomainEvent:
    """Return an event in the shape of today, with an actor in its tags; id, type and timestamp stay."""
    entities = event.entities
    for step in upcasters.get((source, event.type), ()):
        entities = step(entities)
    current = event if entities is event.entities else event._replace(entities=entities)
    return with_actor(current)

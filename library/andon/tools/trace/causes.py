"""Causes of a fact, as the fact itself names them. Pure.

| what it says                                                              | its cause      | how sure       |
|---------------------------------------------------------------------------|----------------|----------------|
| ids of events: the `triggers` of a decision, what a message `covers`      | each of them   | exact          |
| a message that a consumer gave up, in a `fault`                           | its event      | exact          |
| the fields by which facts name one that has no id yet: `Project.named_by` | the first fact | by its subject |
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.bus_entry import from_message
from andon.events.domain_event import DomainEvent
from andon.project import NamedBy
from andon.rules.rule import TRIGGERS
from andon.runtime.tried import Failed, tried
from andon.runtime.whole_number import is_whole
from andon.tools.trace.facts import TracedFact

COVERS: Final = "covers"  # of `andon.outbound.delivery.Delivery`

DEEPEST: Final = 4
"""Levels of an entity in which a name is looked for."""

Subject = tuple[str, tuple[str | int, ...]]
"""The name of an entity, and the values by which other facts name the fact that it is in."""


class Cause(NamedTuple):
    """An event that a fact names by its id; what else it says of it: its type, its time in epoch milliseconds."""

    id: str
    type: str = ""
    timestamp_ms: int | None = None


def causes_of(event: DomainEvent) -> list[Cause]:
    """Return the events that an event names by their ids, in the order of their times; those without a time first."""
    said = [event.new_row, *event.entities.values()]
    found = [cause for one in said if isinstance(one, dict) for cause in _named_in(one)]
    if event.type == fault.TYPE:
        found += _given_up(event)
    of_id = {cause.id: cause for cause in sorted(found, key=_order) if cause.id != event.id}
    return sorted(of_id.values(), key=_order)


def subjects_of(fact: TracedFact, named_by: NamedBy) -> list[Subject]:
    """Return the subjects of the entities of a fact."""
    entities = fact.event.entities
    found = ((name, _values(entities.get(name), fields)) for name, fields in named_by.items())
    return [(name, values) for name, values in found if values]


def subjects_in(fact: TracedFact, named_by: NamedBy) -> list[Subject]:
    """Return the subjects that a fact names anywhere in its entities, its own among them."""
    places = [*_objects_in([*fact.event.entities.values()], DEEPEST)]
    found = ((name, _values(place, fields)) for place in places for name, fields in named_by.items())
    return list(dict.fromkeys((name, values) for name, values in found if values))


def _named_in(said: dict[str, object]) -> Iterator[Cause]:
    triggers, covers = said.get(TRIGGERS), said.get(COVERS)
    for one in triggers if isinstance(triggers, list) else ():
        if isinstance(one, dict) and isinstance(id_ := one.get("id"), str):
            event_type, timestamp = one.get("type"), one.get("timestamp")
            yield Cause(id_, str(event_type or ""), timestamp if is_whole(timestamp) else None)
    for id_ in covers if isinstance(covers, list) else ():
        if isinstance(id_, str):
            yield Cause(id_)


def _given_up(event: DomainEvent) -> Iterator[Cause]:
    message = event.entities.get(fault.TYPE, {}).get("message") if event.type == fault.TYPE else None
    delivery = tried(from_message, str(message))
    if not isinstance(delivery, Failed):
        yield Cause(delivery.event.id, delivery.event.type, delivery.event.timestamp_ms)


def _objects_in(values: list[object], levels: int) -> Iterator[dict[str, object]]:
    for value in values:
        if isinstance(value, dict):
            yield value
        inner = [*value.values()] if isinstance(value, dict) else value
        if levels and isinstance(inner, list):
            yield from _objects_in(inner, levels - 1)


def _values(said: object, fields: tuple[str, ...]) -> tuple[str | int, ...]:
    """Return the values of all fields, none if one is missing."""
    if not isinstance(said, dict):
        return ()
    values = tuple(value for name in fields if isinstance(value := said.get(name), str | int) and value != "")
    return values if len(values) == len(fields) else ()


def _order(cause: Cause) -> tuple[int, str]:
    return -1 if cause.timestamp_ms is None else cause.timestamp_ms, cause.id

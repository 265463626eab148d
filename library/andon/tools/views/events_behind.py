"""The events that two rows were made of, from a copy of the lake."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.package import Package
from andon.stores.lake import queries
from andon.tools.lake import engine
from andon.tools.views.compare import DifferenceKind, Key, RowDifference, event_id
from andon.tools.views.versions import ViewVersions
from andon.views.inverse_oplock import event_order
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import updates_in

_LIVES: Final = frozenset({ttl.ATTRIBUTE, ttl.DATE})
"""Attributes of which no update says the value."""

FIND: Final = "SELECT source, detail FROM facts WHERE id IN ({})"


class PublishedEvent(NamedTuple):
    """An event of the lake, and who published it."""

    source: str
    event: DomainEvent

    def __str__(self) -> str:
        happened = datetime.fromtimestamp(self.event.timestamp_ms / 1000, UTC).isoformat(timespec="milliseconds")
        return f"{self.source} {self.event.type} of {happened.replace('+00:00', 'Z')}, id {self.event.id}"


def ids_behind(difference: RowDifference) -> set[str]:
    """Return the ids of the newest events in both rows, of which those that only one has seen if there are some."""
    orders = difference.oplocks.values()
    unequal = [pair for pair in orders if pair[0] != pair[1]]
    return {event_id(order) for pair in unequal or orders for order in pair if order}


def facts(lake: Path, ids: Iterable[str]) -> dict[str, PublishedEvent]:
    """Return the events of these ids that are in a copy of the lake."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    marks = ", ".join("'" + one.replace("'", "''") + "'" for one in wanted)
    question = queries.question(FIND.format(marks))
    table = engine.ask(engine.connect(lake), question, question.values({}))
    found = (
        PublishedEvent(str(source), DomainEvent.from_wire(json.loads(str(detail)))) for source, detail in table.rows
    )
    return {fact.event.id: fact for fact in found}


def behind(field: str, candidates: Iterable[PublishedEvent], versions: ViewVersions) -> list[PublishedEvent]:
    """Return the events from which either version takes a field; all of them if it is of none."""
    every = list(candidates)
    return [fact for fact in every if any(field in _fields(fact, version) for version in versions)] or every


def is_outdated(difference: RowDifference, known: Mapping[str, PublishedEvent], view: Package) -> bool:
    """Return True if today's code of the version before makes of the events of its row what the next one has.

    Then the row was written by earlier code: a field has another name since, or is gone. known: events by their id.
    """
    if difference.kind is not DifferenceKind.DIFFERENT or difference.before is None:
        return False
    said: dict[str, object] = {}
    for name, (order, _) in difference.oplocks.items():
        update = _update_of(difference.key, name, str(order), known, view)
        if update is None:
            return False
        said |= {**update.key_fields, **update.fields}
    today = to_plain(to_typed({name: value for name, value in said.items() if value is not None}))
    return all(field.name not in _LIVES and field.after == today.get(field.name) for field in difference.fields)


def _update_of(
    key: Key, oplock: str, order: str, known: Mapping[str, PublishedEvent], view: Package
) -> ViewUpdate | None:
    """Return the update of a row's oplock, if today's code makes it of the event that the order names."""
    fact = known.get(event_id(order))
    for update in () if fact is None else _updates(fact, view):
        is_of_row = tuple(str(update.key[name]) for name in view.view.KEYS.names) == key
        if fact and is_of_row and update.oplock == oplock:
            return update if event_order(fact.event, update.about_ms, update.origin) == order else None
    return None


def _fields(fact: PublishedEvent, version: Package) -> Iterator[str]:
    for update in _updates(fact, version):
        yield from {**update.fields, **update.key_fields}


def _updates(fact: PublishedEvent, version: Package) -> Sequence[ViewUpdate]:
    """Return the updates that the code of a version makes of an event."""
    upcasters = getattr(version.view, "UPCASTERS", NONE)
    decide = getattr(version.view, "ON", {}).get((fact.source, fact.event.type))
    return () if decide is None else updates_in(decide(upcast(fact.event, upcasters, source=fact.source)))

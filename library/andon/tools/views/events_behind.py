"""The events that two rows were made of, from a copy of the lake."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.package import Package
from andon.stores.lake import queries
from andon.tools.lake import engine
from andon.tools.views.compare import RowDifference, event_id
from andon.tools.views.versions import ViewVersions

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


def _fields(fact: PublishedEvent, version: Package) -> Iterator[str]:
    on = getattr(version.view, "ON", {})
    upcasters = getattr(version.view, "UPCASTERS", NONE)
    decide = on.get((fact.source, fact.event.type))
    if decide is not None:
        update = decide(upcast(fact.event, upcasters, source=fact.source))
        written: Mapping[str, object] = {**update.fields, **update.key_fields}
        yield from written

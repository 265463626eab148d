"""Drift: rows are what past events make of them; one that is not is found and repaired, and no other is touched."""

import pytest

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.events.domain_event import DomainEvent
from andon.packages.discovery import recomputed
from andon.packages.package import Package
from andon.testing.drift import forge, look, remember, rows_of, take_in
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import bus_message
from andon.testing.loop import Loop
from andon.testing.samples import is_of_old, paths, read, topic_of

_PURE = "What it writes has to follow from the event alone"
WRONG = "nobody said so"


@pytest.mark.parametrize("view", recomputed(), ids=lambda view: view.name)
def test_what_is_not_as_its_events_make_it_is_found_and_repaired(world: Loop, view: Package) -> None:
    samples = [path for path in paths("domain") if view.subscribes_to(*topic_of(path)) and not is_of_old(path)]
    events = [DomainEvent.from_wire(read(path)) for path in samples]
    lines = [bus_message(event, source=event.tags["source"]) for event in events]

    with frozen_clock(max(event.timestamp_ms for event in events)):
        take_in(world, view, lines)
        remember(lines)
        sound = rows_of(world, view)
        found = look(world, view)
        assert not found, f"{found[0]}, though all of its events came in order: is a function of ON impure? {_PURE}"
        assert rows_of(world, view) == sound

        for row in sound:
            forge(world, view, _forged(row, view))
        found = look(world, view)

    assert sound, f"no sample of events/domain/ makes a row of views/{view.name}: see its ON"
    assert len(found) == len(sound), f"of {len(sound)} rows of views/{view.name} that are forged {len(found)} are found"
    assert rows_of(world, view) == sound, f"what was forged in views/{view.name} is not repaired. {_PURE}"


def _forged(row: Item, view: Package) -> Item:
    """Return a row that says something else; of the same type, since its only attribute may be a key of an index."""
    indexed = {
        name for schema in view.tables.values() for index in schema.indexes.values() for name in index.keys.names
    }
    said = {name for name in row if "#" not in name} - {*view.view.KEYS.names, ttl.ATTRIBUTE, ttl.DATE}
    assert said, f"a row of views/{view.name} says nothing beside its key, of {row}: a sample should show what it says"
    name = min(said, key=lambda name: (name in indexed, not isinstance(row[name], str), name))
    return {**row, name: row[name] + 1 if isinstance(row[name], int) else WRONG}

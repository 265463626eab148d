"""The consumers of a project's events that can be asked about one event, as the functions that they really run."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.events import drift, fault
from andon.events.bus_entry import Delivery
from andon.events.domain_event import DomainEvent
from andon.events.hops import require_few
from andon.events.topic import ANY, Topic
from andon.events.upcast import Upcasters, upcast
from andon.handlers.declared_listener import listener_of, restorer_of
from andon.packages.discovery import readers, restorers, services
from andon.packages.package import Package
from andon.rules.stored_event import EVENT
from andon.runtime.json_types import JsonObject
from andon.stores.archive.store import KINDS, actors_in
from andon.stores.drift.finding import finding_in
from andon.stores.faults.record import fault_in
from andon.sync.crossing import CrossedRow
from andon.tools.region.services import RestoredService
from andon.views.materialize import Listener
from andon.views.restored_row import RestoredRow
from andon.views.view_update import Subscriptions

ANY_TOPIC: Final = (ANY, ANY)

FAULT: Final[Topic] = (ANY, fault.TYPE)
_DRIFT: Final[Topic] = (ANY, drift.TYPE)


class Consumer(NamedTuple):
    """A consumer. reads: topic -> its projection of an event on the wire; by ANY_TOPIC, of every published one."""

    name: str
    reads: Mapping[Topic, Callable[[JsonObject], object]]

    def reads_of(self, topic: Topic) -> Callable[[JsonObject], object] | None:
        """Return the function for a topic; None: it does not subscribe to it."""
        return self.reads.get(topic) or self.reads.get(ANY_TOPIC)


def consumers() -> Iterator[Consumer]:
    """Yield all consumers but the lake, which keeps whatever comes, and those of stored events, see `stories.py`."""
    for package in readers():
        listener = listener_of(package.folder)
        yield Consumer(f"{package.name}.listener", _reads(listener, listener.on))
    for package in restorers():
        yield from _restorer(package)
    for package in services():
        if package.plays("sender"):
            wake_of = package.gateway.wake_of
            yield Consumer(f"{package.name}.sender", dict.fromkeys(package.gateway.on, partial(_on_event, wake_of)))
    for package in services():
        if package.has("facts"):
            yield Consumer(f"{package.name}.region", _rows_again(package))
    yield Consumer("faults.listener", {FAULT: partial(_on_delivery, fault_in)})
    yield Consumer("drift.listener", {_DRIFT: partial(_on_delivery, finding_in)})
    for kind in KINDS:
        yield Consumer(f"archive.{kind.name}", {ANY_TOPIC: partial(actors_in, kind)})


def _rows_again(package: Package) -> dict[Topic, Callable[[JsonObject], object]]:
    """Return the rows that come back of a service when its region is lost: the rows in the images of its own facts."""
    restored = RestoredService.of(package)

    def rows(topic: Topic, wire: JsonObject) -> object:
        delivery = Delivery(topic[0], DomainEvent.from_wire(wire))
        puts = restored.puts(delivery, now_ms=delivery.event.timestamp_ms)
        return [(put.table, _beside_event(put.item), put.condition) for put in puts], restored.changes(delivery)

    source = package.facts.source
    return {(source, one): partial(rows, (source, one)) for one in package.facts.types}


def _restorer(package: Package) -> Iterator[Consumer]:
    if package.side == "services":
        listener = restorer_of(package.folder)
        yield Consumer(f"{package.name}.restore", _reads(listener, listener.restores))
    elif (listener := listener_of(package.folder)).restores is not listener.on:
        yield Consumer(f"{package.name}.restore", _reads(listener, listener.restores))


def _reads(listener: Listener, on: Subscriptions) -> dict[Topic, Callable[[JsonObject], object]]:
    return {topic: partial(_decided, topic, decide, listener.upcasters) for topic, decide in on.items()}


def _decided(topic: Topic, decide: Callable[[DomainEvent], Any], upcasters: Upcasters, wire: JsonObject) -> object:
    """Return the writes of a listener for an event, beside the event itself where that is stored whole."""
    event = upcast(DomainEvent.from_wire(wire), upcasters, source=topic[0])
    require_few(event)
    match decide(event):
        case CrossedRow(crossing, versions, edit):
            return versions.key, edit, crossing.from_theirs(event, None)
        case RestoredRow(_, row):
            return row and _beside_event(row)
        case written:
            return written, event.timestamp_ms


def _beside_event(row: Attributes) -> Attributes:
    """Return a row without the event that is stored whole in it: whoever reads that is asked by itself."""
    return {name: value for name, value in row.items() if name != "event" or row.get("discriminator") != EVENT}


def _on_event(function: Callable[[DomainEvent], object], wire: JsonObject) -> object:
    return function(DomainEvent.from_wire(wire))


def _on_delivery(function: Callable[..., object], wire: JsonObject) -> object:
    event = DomainEvent.from_wire(wire)
    source = event.tags["source"].partition(".")[0]  # a consumer publishes them, in the name of its package
    return function(Delivery(source, event), now_ms=event.timestamp_ms)

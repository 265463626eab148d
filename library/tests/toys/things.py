"""A domain of the library's own, so that its tests know nothing of factories: things are painted and weighed."""

import json
from dataclasses import replace
from typing import Any

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent, Entity
from andon.events.publish import GROUPED
from andon.testing import world
from andon.versions.optimistic_lock import Command, Draft, fingerprint_of
from andon.versions.versioned_write import Revisions, Versions
from andon.views.materialize import Listener
from andon.views.oplocked_fields import Anchor, OplockFamily
from andon.views.view_update import On, ViewUpdate
from andon.wire import aws
from toys.clock import NOW

TTL_DAYS = 10
TTL_MS = TTL_DAYS * SECONDS_PER_DAY * 1000

KEYS = Keys("pk", "sk", one_partition_per="entity")
BY_COLOUR = Keys("colour", "sk", one_partition_per="tenant")
VARIABLE = "THINGS_TABLE"
TABLE = Table(VARIABLE, KEYS)


class World(world.World):
    """A table of things, and a bus."""

    def __init__(self) -> None:
        super().__init__({VARIABLE: TableSchema(KEYS, indexes={"ByColour": Index(BY_COLOUR)}, stream=True)})

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers; facts share entries, whatever the project says."""
        return super().variables() | {GROUPED: "1"}

    def thing(self, name: str) -> dict[str, Any] | None:
        return TABLE.get({"pk": name, "sk": "-"}, consistent=True)

    def new_envelopes(self) -> list[dict[str, Any]]:
        """Return EventBridge's envelopes published since the last call."""
        return [json.loads(body) for body in self.new_messages()]

    def take_away(self, name: str) -> None:
        """Delete one thing, as DynamoDB does some day after its ttl."""
        aws.client("dynamodb").delete_item(TableName=TABLE.name, Key=to_typed({"pk": name, "sk": "-"}))


def happened(kind: str, name: str, *, at: int = NOW, id: str = "e1", **fields: object) -> DomainEvent:  # noqa: A002
    return DomainEvent(
        id=id, type=f"thing-{kind}", timestamp_ms=at, partition_key=name, entities={"thing": {"name": name, **fields}}
    )


def message(event: DomainEvent) -> str:
    return to_message(event, source="workshop")


def on_painted(event: DomainEvent) -> ViewUpdate:
    thing = event.entity("thing")
    return _update(thing, "paint", {"colour": thing.get("colour"), "gloss": thing.get("gloss")})


def on_weighed(event: DomainEvent) -> ViewUpdate:
    thing = event.entity("thing")
    return _update(thing, "weight", {"grams": thing.get("grams")})


def _update(thing: Entity, oplock: str, fields: dict[str, Any]) -> ViewUpdate:
    name = thing.text("name")
    return ViewUpdate(key={"pk": name, "sk": "-"}, key_fields={"Name": name}, fields=fields, oplock=oplock)


ON: On = {("workshop", "thing-painted"): on_painted, ("workshop", "thing-weighed"): on_weighed}
VIEW = Listener(name="things", table=TABLE, on=ON, ttl_days=TTL_DAYS)

LABEL = "label#"
LABELS = OplockFamily(prefix=LABEL, most=2, always=frozenset({f"{LABEL}first"}))
PAINTED_FIRST = Anchor(oplock="paint", skeleton_days=TTL_DAYS)


def on_labelled(event: DomainEvent) -> ViewUpdate:
    """Keep when it got each of the newest labels; anybody makes them up."""
    thing = event.entity("thing")
    label = f"{LABEL}{thing.text('label')}"
    return replace(_update(thing, label, {label: event.timestamp_ms}), family=LABELS)


LABELLED_ON: On = {**ON, ("workshop", "thing-labelled"): on_labelled}
LABELLED = Listener(name="things", table=TABLE, on=LABELLED_ON, ttl_days=TTL_DAYS)


def on_weighed_before_painted(event: DomainEvent) -> ViewUpdate:
    """Keep the weight; of what is never painted, not for long."""
    return replace(on_weighed(event), anchor=PAINTED_FIRST)


def on_painted_at_last(event: DomainEvent) -> ViewUpdate:
    """Keep the paint, and the row."""
    return replace(on_painted(event), anchor=PAINTED_FIRST)


ANCHORED_ON: On = {
    ("workshop", "thing-painted"): on_painted_at_last,
    ("workshop", "thing-weighed"): on_weighed_before_painted,
}
ANCHORED = Listener(name="things", table=TABLE, on=ANCHORED_ON, ttl_days=None)


def painting(
    name: str, colour: str | None, *, if_match: int | None = None, now_ms: int = NOW, actor: str = "somebody"
) -> Draft:
    fingerprint = fingerprint_of(
        route="PUT /things/{id}", path={"id": name}, if_match=if_match, body={"colour": colour}, actor=actor
    )
    command = Command(actor=actor, now_ms=now_ms, if_match=if_match, fingerprint=fingerprint)
    return Draft(content={"colour": colour}, attributes={"kind": "thing"}, command=command)


def current_only(name: str) -> Versions[Any]:
    return Versions(table=TABLE, key={"pk": name, "sk": "-"})


def with_history(name: str) -> Versions[Any]:
    partition = f"Revisions#{name}"
    revisions = Revisions(
        table=TABLE,
        key_of=lambda version: {"pk": partition, "sk": f"v{version:010d}"},
        all=KeyQuery(keys=KEYS, partition=partition),
        attributes={"kind": "revision"},
    )
    return Versions(table=TABLE, key={"pk": name, "sk": "-"}, revisions=revisions)

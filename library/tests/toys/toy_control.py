"""A control service of the library's own: things are knocked and mended in rooms; a keeper decides what that means."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.key_query import BeginsWith, KeyQuery
from andon.dynamodb.schema import Keys, TableSchema
from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.actor import author_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Facts
from andon.rules.collect import Collected
from andon.rules.control import control_changes
from andon.rules.control_service import Control, Counts
from andon.rules.due import READ_SHARDS, partition_of
from andon.rules.evaluate import Evaluator
from andon.rules.hold_back import DEFAULT_SECONDS
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import BY, RULE, TRIGGERS, Decision, History, Rule, Rules, decision_key, expired
from andon.rules.stored_event import PREFIX, StoredEvent
from andon.rules.sweep import sweep
from andon.rules.timing import AtOnce, Later
from andon.rules.write import set_aside, write_decisions
from andon.runtime.message_batch import BatchResponse
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.world import World
from andon.views.materialize import Listener, materialize
from toys.clock import NOW
from toys.things import happened, message

KEYS = Keys("pk", "sk", one_partition_per="entity")
VARIABLE = "KEEPER_TABLE"
TABLE = Table(VARIABLE, KEYS)

TTL_DAYS = 10
TTL_MS = TTL_DAYS * SECONDS_PER_DAY * 1000

MINUTE_MS = 60_000
HOLD_BACK_MS = DEFAULT_SECONDS * 1000
FORGOTTEN_MS = 10 * MINUTE_MS
# When what was decided upon at a moment is swept: no sooner.
SWEPT_MS = HOLD_BACK_MS + STORED_WITHIN_MS

KNOCKED = ("workshop", "thing-knocked")


def thing_of(name: str) -> str:
    return f"Thing#{name}"


def room_of(name: str) -> str:
    """Name the partition of the room that a thing is in, unless it says another one."""
    return f"Room#room of {name}"


def knocked(name: str, *, at: int = NOW, id: str = "", **fields: object) -> DomainEvent:  # noqa: A002
    """The event that somebody knocked against a thing."""
    room = f"room of {name}"
    return happened("knocked", name, at=at, id=id or f"knock of {name} at {at}", **{"room": room, **fields})


def mended(name: str, *, at: int = NOW) -> DomainEvent:
    return happened("mended", name, at=at, id=f"mending of {name} at {at}")


def key_of(event: DomainEvent) -> str:
    return thing_of(event.entity("thing").text("name"))


def room_in(event: DomainEvent) -> str:
    return f"Room#{event.entity('thing').text('room')}"


def is_mended(event: DomainEvent) -> bool:
    """Return True if a thing's troubles end with an event."""
    return event.type == "thing-mended"


def _knocks(history: History) -> tuple[DomainEvent, ...]:
    return tuple(event for event in history.events if event.type == "thing-knocked")


def _name(event: DomainEvent) -> str:
    return event.entity("thing").text("name")


def decide(rule: str, partition: str, subject: str, *triggers: DomainEvent, **says: object) -> Decision:
    """Decide upon some events, the last of which it is timed by."""
    return Decision(
        key=decision_key(KEYS, partition, rule, subject),
        row={"discriminator": rule, "at": triggers[-1].timestamp_ms, **says},
        triggers=triggers,
    )


def label(history: History) -> Iterable[Decision]:
    """Write the owner's name on each knock, once a thing has an owner."""
    if history.context is not None:
        for knock in _knocks(history):
            yield decide("label", key_of(knock), str(knock.timestamp_ms), knock, owner=history.context)


def broken(history: History) -> Iterable[Decision]:
    """Decide at the third knock within a minute."""
    knocks = _knocks(history)
    if len(knocks) == 3:
        yield decide("broken", key_of(history.anchor), str(knocks[0].timestamp_ms), *knocks)


def forgotten(history: History) -> Iterable[Decision]:
    """Decide where nobody has knocked for ten minutes."""
    if history.events == (history.anchor,):
        yield decide("forgotten", key_of(history.anchor), str(history.anchor.timestamp_ms), history.anchor)


def noisy(history: History) -> Iterable[Decision]:
    """Decide where two things are knocked within a minute."""
    others = [knock for knock in history.events if _name(knock) != _name(history.anchor)]
    if others:
        subject = str(history.anchor.timestamp_ms)
        yield decide("noisy", room_in(history.anchor), subject, others[-1], history.anchor)


def listing(history: History) -> Iterable[Decision]:
    """List what is in a room: whatever was knocked there."""
    for knock in history.events:
        yield decide("listing", room_in(knock), _name(knock), knock)


LABEL = Rule(
    id="label",
    on=frozenset({KNOCKED}),
    key=key_of,
    window_ms=MINUTE_MS,
    timing=AtOnce(),
    needs_context=True,
    expression=label,
    emits=frozenset({"thing-labelled"}),
)
BROKEN = Rule(
    id="broken",
    on=frozenset({KNOCKED}),
    key=key_of,
    window_ms=MINUTE_MS,
    until=is_mended,
    expression=broken,
    emits=frozenset({"thing-broken"}),
)
FORGOTTEN = Rule(
    id="forgotten",
    on=frozenset({KNOCKED}),
    key=key_of,
    window_ms=MINUTE_MS,
    until=lambda _: True,
    timing=Later(FORGOTTEN_MS),
    expression=forgotten,
    emits=frozenset({"thing-forgotten"}),
)
NOISY = Rule(
    id="noisy",
    on=frozenset({KNOCKED}),
    key=room_in,
    suffix="noise",
    window_ms=MINUTE_MS,
    expression=noisy,
    emits=frozenset({"room-noisy"}),
)
LISTING = Rule(
    id="listing",
    on=frozenset({KNOCKED}),
    key=room_in,
    suffix="list",
    window_ms=MINUTE_MS,
    timing=AtOnce(),
    expression=listing,
    emits=frozenset({"thing-listed"}),
)

TYPES = {  # discriminator of a decision -> the type of its event
    "label": "thing-labelled",
    "broken": "thing-broken",
    "forgotten": "thing-forgotten",
    "noisy": "room-noisy",
    "listing": "thing-listed",
}


def _published_as(event_type: str) -> Callable[[Change], Fact | None]:
    def fact_of(change: Change) -> Fact | None:
        if change.new is None:
            return None
        row = change.row
        return Fact(
            type=event_type,
            timestamp_ms=row["at"],
            partition_key=row["pk"],
            entity_name="decision",
            entity={"what": row["sk"], BY: row[BY], RULE: row[RULE], TRIGGERS: row[TRIGGERS]},
            actor=author_in(row),
        )

    return fact_of


FACTS = Facts(
    source="keeper",
    types=frozenset(TYPES.values()),
    of={discriminator: _published_as(event_type) for discriminator, event_type in TYPES.items()},
    expired=expired,
)


def rules_of(*rules: Rule) -> Rules:
    return Rules(source="keeper", types=FACTS.types, all=rules)


def owner_of(key: str) -> str | None:
    """Read whose a thing is."""
    row = TABLE.get(KEYS.of(key, "owner"), consistent=True)
    return row["owner"] if row else None


def decide_at(anchor: StoredEvent, rules: Iterable[Rule], *, control: Control, now_ms: int) -> Counts:
    """Evaluate rules at an anchor, and write what they decide."""
    evaluator = Evaluator(control, anchor.key, anchors=[anchor.sort], now_ms=now_ms)
    evaluations = [evaluator.evaluate(anchor, rule) for rule in rules]
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    return write_decisions(evaluations, control, set())


CONTROL = Control(
    table=TABLE,
    rules=rules_of(LABEL, BROKEN, FORGOTTEN, NOISY, LISTING),
    context_of=owner_of,
    remembers={"thing-broken": lambda event: event.partition_key},
    ttl_days=TTL_DAYS,
)


def on_happened(event: DomainEvent) -> Collected:
    """Store what happened to a thing once; what was done by a `hand` is named by that, whatever id it is told under."""
    thing = event.entity("thing")
    return Collected.of(
        event,
        key=thing_of(thing.text("name")),
        source="workshop",
        ttl_days=TTL_DAYS,
        identity=thing.get("hand"),
        expire=thing.get("expire"),
        entity="thing",
    )


VIEW = Listener(
    name="keeper", table=TABLE, on={KNOCKED: on_happened, ("workshop", "thing-mended"): on_happened}, ttl_days=None
)


class Keeper(World):
    """The service, and a bus."""

    def __init__(self) -> None:
        super().__init__({VARIABLE: TableSchema(KEYS, stream=True)})

    def listen(self, *events: DomainEvent) -> list[str]:
        """Deliver a batch; return the ids of the messages that must come again."""
        answer = materialize(sqs_event(map(message, events)), LocalContext("keeper-listener"), listener=VIEW)
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]

    def trigger(self, records: list[dict[str, Any]], control: Control = CONTROL) -> BatchResponse:
        """Hand a batch of the stream to the trigger; return the record from which it must come again."""
        return control_changes({"Records": records}, LocalContext("keeper-trigger"), facts=FACTS, control=control)

    def react(self, control: Control = CONTROL) -> list[dict[str, Any]]:
        """Hand changes to the trigger until nothing moves; return what was published."""
        while records := self.new_records(VARIABLE):
            self.trigger(records, control)
        return self.published()

    def sweep(self, at_ms: int, control: Control = CONTROL) -> list[dict[str, Any]]:
        """Let the clock tick at a time; return what was published."""
        with frozen_clock(at_ms):
            sweep(LocalContext("keeper-sweep"), control=control)
            return self.react(control)

    def published(self) -> list[dict[str, Any]]:
        """Take the events that were published since the last time."""
        return [json.loads(body)["detail"] for body in self.new_messages()]

    def give(self, name: str, owner: str) -> None:
        TABLE.put({**KEYS.of(thing_of(name), "owner"), "owner": owner}, condition=UNCONDITIONAL)
        self.new_records(VARIABLE)

    def partition(self, partition: str) -> list[Item]:
        return TABLE.query(KeyQuery(keys=KEYS, partition=partition, forward=True), limit=1000, consistent=True).items

    def events(self, partition: str) -> list[StoredEvent]:
        """Read the events of a correlation key, oldest first."""
        query = KeyQuery(keys=KEYS, partition=partition, sort=BeginsWith(PREFIX), forward=True)
        rows = TABLE.query(query, limit=1000, consistent=True).items
        return [StoredEvent.of(row, KEYS) for row in rows]

    def decisions(self, partition: str) -> list[str]:
        """Name the decisions upon a partition: `<rule>#<subject>`."""
        rows = self.partition(partition)
        return [row["sk"].removeprefix("decision#") for row in rows if row["sk"].startswith("decision#")]

    def dues(self) -> list[Item]:
        return [row for shard in range(READ_SHARDS) for row in self.partition(partition_of(shard))]

    def forget(self) -> None:
        """Let nothing be due, and nothing be in the stream or on the bus."""
        for row in self.dues():
            TABLE.delete({name: row[name] for name in KEYS.names})
        self.new_records(VARIABLE)
        self.new_messages()

"""Messages: wake-ups of the sender, decided once for a person and a stretch of time. Pure.

What is told stands in none of them: the sender makes the text, of what waits when it sends.
"""

from operator import itemgetter
from typing import Final, TypedDict
from zlib import crc32

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import Meaning, fact_of_row
from andon.outbound.delivery import Wake
from andon.rules.rule import Decision, decision_key
from andon.runtime.json_types import members_of
from contract.entities.telling import MessageEntity
from services.notify.fact_types import MESSAGE_DECIDED, MESSAGE_OVERDUE
from services.notify.tables import KEYS, TTL_DAYS, partition_of

SLOT_MS: Final = 150_000
"""A person's messages are decided by stretches of so long: 20 minutes have at most nine of them."""

NOW: Final = "now"
LATER: Final = "later"
OVERDUE: Final = "overdue"
OVER: Final = "over"


class MessageRow(TypedDict):
    """The attributes of a message beside its entity; `at` is epoch milliseconds, `ttl` epoch seconds."""

    discriminator: str
    at: int
    ttl: int


def slot_of(person: str, arrived_ms: int) -> int:
    """Return the beginning of the slot of an arrival (epoch milliseconds); not everybody's begin at once."""
    shift = crc32(person.encode()) % SLOT_MS
    return (arrived_ms - shift) // SLOT_MS * SLOT_MS + shift


def decide(person: str, slot_ms: int, kind: str, trigger: DomainEvent, *, at_ms: int) -> Decision:
    """Decide that a person may have to be told, once for a slot and a kind."""
    row = row_of(person, slot_ms, kind, at_ms=at_ms)
    return Decision(key_of(row), row, (trigger,))


def row_of(person: str, slot_ms: int, kind: str, *, at_ms: int) -> Item:
    """Return the row of a message, its primary key aside."""
    event_type = MESSAGE_OVERDUE if kind == OVERDUE else MESSAGE_DECIDED
    said: MessageEntity = {"person": person, "id": f"{slot_ms:013d}.{kind}", "slot": slot_ms, "kind": kind}
    row: MessageRow = {"discriminator": event_type, "at": at_ms, "ttl": ttl_at(at_ms, TTL_DAYS)}
    return {**said, **row}


def key_of(row: Item) -> dict[str, str | int]:
    """Return the primary key of a message's row."""
    return decision_key(KEYS, partition_of(row["person"]), "message", row["id"])


def wake_of(event: DomainEvent) -> Wake:
    """Return the wake-up that a message is."""
    message = event.entity("message")
    person, message_id = message.text("person"), message.text("id")
    return Wake(partition_of(person), message_id, message.whole_number("slot"), message.text("kind"))


def _entity_of(row: Item) -> MessageEntity:
    return members_of(MessageEntity, row)


def _fact_of(event_type: str) -> Meaning:
    return fact_of_row(
        event_type, "message", partition="person", entity_of=_entity_of, time_of=itemgetter("at"), once=True
    )


FACTS_OF: Final = {event_type: _fact_of(event_type) for event_type in (MESSAGE_DECIDED, MESSAGE_OVERDUE)}

"""The rule that finds what is overdue: three facts of it within a minute."""

from collections.abc import Iterable
from typing import Final, TypedDict

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.rules.rule import Decision, History, Rule, decision_key
from andon.runtime.clock import MINUTE_MS
from services.planning.tables import KEYS, TTL_DAYS, partition_of

EQUIPMENT_OVERDUE: Final = "equipment-overdue"
MANY: Final = 3


class OverdueEntity(TypedDict):
    """The entity of its events; `since`: epoch milliseconds of the first of them."""

    id: str
    since: int


class OverdueRow(OverdueEntity):
    """The row of a decision, its primary key and the rule's own attributes aside; `ttl`: epoch seconds."""

    discriminator: str
    timestamp: int
    ttl: int


def overdue(history: History) -> Iterable[Decision]:
    """Decide at the third within a minute."""
    found = history.events
    if len(found) == MANY:
        since, at_ms = found[0].timestamp_ms, history.anchor.timestamp_ms
        row: OverdueRow = {
            "discriminator": EQUIPMENT_OVERDUE,
            "id": history.anchor.partition_key,
            "since": since,
            "timestamp": at_ms,
            "ttl": ttl_at(at_ms, TTL_DAYS),
        }
        yield Decision(decision_key(KEYS, key_of(history.anchor), RULE.id, str(since)), row, found)


def key_of(event: DomainEvent) -> str:
    """Return the key that they correlate by."""
    return partition_of(event.partition_key)


def to_entity(row: OverdueRow) -> OverdueEntity:
    """Return a decision's row for an event or a response."""
    return {"id": row["id"], "since": int(row["since"])}


equipment_overdue: Final = fact_of_row(EQUIPMENT_OVERDUE, "overdue", partition="id", entity_of=to_entity, once=True)

RULE: Final = Rule(
    id="overdue",
    on=frozenset({("maintenance", "maintenance-planned")}),
    key=key_of,
    window_ms=MINUTE_MS,
    expression=overdue,
    emits=frozenset({EQUIPMENT_OVERDUE}),
)

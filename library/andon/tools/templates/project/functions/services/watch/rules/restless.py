# <restless>
"""The rule that finds what is restless: three facts of it within a minute."""

from collections.abc import Iterable
from typing import Final, TypedDict

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.rules.rule import Decision, History, Rule, decision_key
from andon.runtime.clock import MINUTE_MS
from services.watch.tables import KEYS, TTL_DAYS, partition_of

THING_RESTLESS: Final = "thing-restless"
MANY: Final = 3


class RestlessEntity(TypedDict):
    """The entity of its events; `since`: epoch milliseconds of the first of them."""

    id: str
    since: int


class RestlessRow(RestlessEntity):
    """The row of a decision, its primary key and the rule's own attributes aside; `ttl`: epoch seconds."""

    discriminator: str
    timestamp: int
    ttl: int


def restless(history: History) -> Iterable[Decision]:
    """Decide at the third within a minute."""
    found = history.events  # all of them: `when` of RULE chooses anchors, not what lies around one
    if len(found) == MANY:
        since, at_ms = found[0].timestamp_ms, history.anchor.timestamp_ms
        row: RestlessRow = {
            "discriminator": THING_RESTLESS,
            "id": history.anchor.partition_key,
            "since": since,
            "timestamp": at_ms,
            "ttl": ttl_at(at_ms, TTL_DAYS),
        }
        yield Decision(decision_key(KEYS, key_of(history.anchor), RULE.id, str(since)), row, found)


def key_of(event: DomainEvent) -> str:
    """Return the key that they correlate by."""
    return partition_of(event.partition_key)


def to_entity(row: RestlessRow) -> RestlessEntity:
    """Return a decision's row for an event or a response."""
    return {"id": row["id"], "since": int(row["since"])}


thing_restless: Final = fact_of_row(THING_RESTLESS, "restless", partition="id", entity_of=to_entity, once=True)

RULE: Final = Rule(
    id="restless",
    on=frozenset({("things", "thing-moved")}),
    key=key_of,
    window_ms=MINUTE_MS,
    expression=restless,
    emits=frozenset({THING_RESTLESS}),
)
# </restless>

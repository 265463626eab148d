# <overdue>
"""The rule that finds what is overdue: the date has come that was said last."""

from collections.abc import Iterable
from typing import Final, TypedDict

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.rules.rule import Decision, History, Rule, decision_key
from andon.rules.timing import DueAt
from andon.runtime import times
from services.watch.tables import KEYS, TTL_DAYS, partition_of

THING_OVERDUE: Final = "thing-overdue"


class OverdueEntity(TypedDict):
    """The entity of its events; `since`: epoch milliseconds of the date."""

    id: str
    since: int


class OverdueRow(OverdueEntity):
    """The row of a decision, its primary key and the rule's own attributes aside; `ttl`: epoch seconds."""

    discriminator: str
    timestamp: int
    ttl: int


def date_of(event: DomainEvent) -> int | None:
    """Return the date that an event says (epoch milliseconds); None: it says none, and nothing is due."""
    date = event.entity("thing").optional_text("due")
    return None if date is None else times.to_ms(date)


def overdue(history: History) -> Iterable[Decision]:
    """Decide at the date, unless the fact was told anew since: with another date, the same, or none any more."""
    anchor, date_ms = history.anchor, date_of(history.anchor)
    if date_ms is not None and not any(event.type == anchor.type for event in history.later):
        at_ms = max(date_ms, anchor.timestamp_ms)
        row: OverdueRow = {
            "discriminator": THING_OVERDUE,
            "id": anchor.partition_key,
            "since": date_ms,
            "timestamp": at_ms,
            "ttl": ttl_at(at_ms, TTL_DAYS),
        }
        yield Decision(decision_key(KEYS, key_of(anchor), RULE.id, str(date_ms)), row, (anchor,))


def key_of(event: DomainEvent) -> str:
    """Return the key that they correlate by."""
    return partition_of(event.partition_key)


def to_entity(row: OverdueRow) -> OverdueEntity:
    """Return a decision's row for an event or a response."""
    return {"id": row["id"], "since": int(row["since"])}


thing_overdue: Final = fact_of_row(THING_OVERDUE, "overdue", partition="id", entity_of=to_entity, once=True)

RULE: Final = Rule(
    id="overdue",
    on=frozenset({("things", "thing-moved")}),
    key=key_of,
    window_ms=1,  # only what follows counts
    timing=DueAt(date_of, within_days=TTL_DAYS - 1),  # a date further ahead is waited for in steps
    expression=overdue,
    emits=frozenset({THING_OVERDUE}),
)
# </overdue>

"""The rows of planning's decisions, and the facts that they are."""

from typing import Final, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.rules.rule import Decision, decision_key
from andon.runtime import times
from andon.runtime.json_types import JsonMapping, members_of
from contract.entities.planning import OverdueEntity, UpkeepEntity
from services.planning.orders import partition_in
from services.planning.tables import DECIDED_DAYS, KEYS

MAINTENANCE_OVERDUE: Final = "maintenance-overdue"
UPKEEP_CHANGED: Final = "upkeep-changed"


class DecisionRow(TypedDict):
    """The attributes of a decision beside its entity; `at` is epoch milliseconds, `ttl` epoch seconds."""

    discriminator: str
    at: int
    ttl: int


def decide(
    event_type: str, entity: JsonMapping, triggers: tuple[DomainEvent, ...], *, rule: str, subject: str, at_ms: int
) -> Decision:
    """Return a decision; its entity gets its machine and its time. subject: its identity; it is put once."""
    row: DecisionRow = {"discriminator": event_type, "at": at_ms, "ttl": ttl_at(at_ms, DECIDED_DAYS)}
    said = {**entity, "equipmentId": triggers[-1].partition_key, "timestamp": times.to_utc(at_ms)}
    return Decision(decision_key(KEYS, partition_in(triggers[-1]), rule, subject), {**said, **row}, triggers)


def overdue_in(row: Item) -> OverdueEntity:
    """Return the entity of a decision."""
    return members_of(OverdueEntity, row)


def time_of(row: Item) -> str:
    """Return when it was decided, fixed-width UTC."""
    return times.to_utc(row["at"])


def _upkeep_in(row: Item) -> UpkeepEntity:
    return members_of(UpkeepEntity, row)


def _at(row: Item) -> int:
    at_ms: int = row["at"]
    return at_ms


maintenance_overdue: Final = fact_of_row(
    MAINTENANCE_OVERDUE, "overdue", partition="equipmentId", entity_of=overdue_in, time_of=_at, once=True
)
upkeep_changed: Final = fact_of_row(
    UPKEEP_CHANGED, "upkeep", partition="equipmentId", entity_of=_upkeep_in, time_of=_at, once=True
)

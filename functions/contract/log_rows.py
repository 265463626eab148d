"""Rows about a log: its operator or its crew, by the version of dispatch. Pure."""

from collections.abc import Mapping

from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent, Entity
from andon.rules.rule import WHY
from andon.runtime import times
from andon.runtime.json_types import members_of
from contract import logs, names
from contract.entities.logs import LogEntity, LogRef, Why


class LogRow(Why):
    """A row about a log, its key and version attributes aside; `logTimestamp`: fixed-width UTC, `ttl`: epoch seconds.

    A rule's decision says `Why`.
    """

    discriminator: str
    equipmentId: str  # noqa: N815  the row's name
    state: str
    logTimestamp: str  # noqa: N815
    ttl: int


def log_of(equipment_id: str, state: str, timestamp: str) -> LogRef:
    """Return a log's natural key."""
    return {"equipmentId": equipment_id, "state": state, "timestamp": timestamp}


def ttl_of(log: LogRef) -> int:
    """Return the ttl (epoch seconds) of every row about a log, whenever it is written."""
    return ttl_at(times.to_ms(log["timestamp"]), logs.TTL_DAYS)


def content_of(said: Mapping[str, object]) -> dict[str, object]:
    """Return the content of a row by its log's natural key; a reason that is not said is None."""
    log = {"equipmentId": said["equipmentId"], "state": said["state"], "logTimestamp": said["timestamp"]}
    return {**log, **{name: said.get(name) for name in WHY}}


def entity_of(row: LogRow) -> LogEntity:
    """Return the entity of a row, as far as it is about the log; `timestamp` is the log's."""
    return {**log_of(row["equipmentId"], row["state"], row["logTimestamp"]), **members_of(Why, row)}


def about(entity: LogEntity) -> LogEntity:
    """Return an entity as far as it is about the log."""
    return {**log_of(entity["equipmentId"], entity["state"], entity["timestamp"]), **members_of(Why, entity)}


def log_in(event: DomainEvent, entity: Entity) -> LogEntity:
    """Return the log that an entity of an event is about.

    Raises:
        Poison, ValueError: it does not say which.

    """
    timestamp = times.require_known(entity.text("timestamp"), at_ms=event.timestamp_ms)
    log = log_of(entity.text("equipmentId"), names.state(entity.text("state")), timestamp)
    return {**log, **members_of(Why, entity.fields)}

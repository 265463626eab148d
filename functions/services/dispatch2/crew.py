"""The crew that deals with a log: one person leads it. Pure."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import sort_key
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.rules.rule import WHY, is_of_a_person
from andon.runtime import times
from andon.versions.optimistic_lock import Command, Draft
from contract import logs
from contract.entities import CrewEntity, LogRef, Why
from services.dispatch2.tables import KEYS

CREW_ASSIGNED: Final = "crew-assigned"

DISCRIMINATOR: Final = "crew"


class CrewRow(Why):
    """The row of a crew, its primary key and version attributes aside. `logTimestamp` is fixed-width UTC.

    ttl: epoch seconds. A rule's decision says `Why`.
    """

    discriminator: Literal["crew"]
    equipmentId: str  # noqa: N815  the row's name
    state: str
    logTimestamp: str  # noqa: N815
    lead: str
    members: list[str]
    ttl: int


class Crew(TypedDict):
    """Who leads, and who else belongs to it."""

    lead: str
    members: list[str]


class CrewAssignment(LogRef, Why):
    """What a response says: the log and its crew."""

    crew: Crew


def log_of(equipment_id: str, state: str, timestamp: str) -> LogRef:
    """Return a log's natural key."""
    return {"equipmentId": equipment_id, "state": state, "timestamp": timestamp}


def key_of(log: LogRef) -> dict[str, str | int]:
    """Return the primary key of the row about a log."""
    return KEYS.of(f"Equipment#{log['equipmentId']}", sort_key(log["state"], log["timestamp"], DISCRIMINATOR))


def assign(log: LogRef, crew: Crew, command: Command) -> Draft:
    """Decide which crew deals with a log.

    Raises:
        Invalid: the log's time lies ahead or too far back.

    """
    ttl = logs.ttl_of(log["timestamp"], now_ms=command.now_ms)
    # A rule of dispatch decides at the log's time, which may lie ahead; a person's decision is later.
    later = command._replace(now_ms=max(command.now_ms, times.to_ms(log["timestamp"]) + 1))
    return Draft(
        # A person's decision replaces a rule's, and its reasons.
        content=content_of(cast("CrewEntity", {**log, **crew})) | dict.fromkeys(WHY),
        attributes=attributes_of(ttl),
        command=later,
        needs_if_match=is_of_a_person,
    )


def content_of(entity: CrewEntity) -> dict[str, Any]:
    """Return what a row says of a crew."""
    return {
        "equipmentId": entity["equipmentId"],
        "state": entity["state"],
        "logTimestamp": entity["timestamp"],
        "lead": entity["lead"],
        "members": entity["members"],
        **_why(entity),
    }


def attributes_of(ttl: int) -> dict[str, Any]:
    """Return what stands on a row beside its content; ttl: epoch seconds."""
    return {"discriminator": DISCRIMINATOR, "ttl": ttl}


def to_response(item: Item) -> CrewAssignment:
    """Return what a response says of a row; `timestamp` is the log's."""
    row = cast("CrewRow", item)
    response: dict[str, object] = {
        "equipmentId": row["equipmentId"],
        "state": row["state"],
        "timestamp": row["logTimestamp"],
        "crew": {"lead": row["lead"], "members": row["members"]},
        **_why(item),
    }
    return cast("CrewAssignment", response)


def to_entity(item: Item) -> CrewEntity:
    """Return what an event says of a row; `timestamp` is the log's."""
    row = cast("CrewRow", item)
    entity: dict[str, object] = {
        "equipmentId": row["equipmentId"],
        "state": row["state"],
        "timestamp": row["logTimestamp"],
        "lead": row["lead"],
        "members": row["members"],
        **_why(item),
    }
    return cast("CrewEntity", entity)


def fact_of(change: Change) -> Fact | None:
    """Return the fact that a log has a crew, or another one."""
    if change.new is None:
        return None
    return Fact(
        type=CREW_ASSIGNED,
        timestamp_ms=change.new["timestamp"],
        partition_key=change.new["equipmentId"],
        entity_name=DISCRIMINATOR,
        entity=to_entity(change.new),
        actor=author_in(change.new),
    )


def _why(said: Mapping[str, object]) -> dict[str, object]:
    return {name: said[name] for name in WHY if name in said}

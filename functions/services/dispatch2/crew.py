"""The crew that deals with a log: one person leads it. Pure."""

from typing import Final, Literal, TypedDict

from andon.dynamodb.keys import sort_key
from andon.events.fact import fact_of_row
from andon.rules.rule import is_of_a_person
from andon.runtime import times
from andon.runtime.marks import Annotated, Named, NotRequired
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from contract import log_rows, logs
from contract.entities.logs import Crew, CrewEntity, LogRef, TriggerRef
from contract.log_rows import LogRow
from services.dispatch2.tables import KEYS, TABLE

CREW_ASSIGNED: Final = "crew-assigned"

DISCRIMINATOR: Final = "crew"


class CrewRow(Crew, LogRow, VersionedRow):
    """The row of a crew, its primary key aside."""


class CrewAssignmentBody(TypedDict):
    """Which crew deals with the log."""

    crew: Crew


class CrewAssignment(LogRef):
    """Which crew a log is assigned to; `by`, `rule` and `triggers` are missing if a person assigned it."""

    crew: Crew
    by: NotRequired[Literal["rule"]]
    rule: NotRequired[str]
    triggers: NotRequired[list[Annotated[TriggerRef, Named("DecidingEventResponse", is_said=False)]]]


def versions_of(log: LogRef) -> Versions[CrewRow]:
    """Return the place of the row about a log."""
    return Versions(table=TABLE, key=key_of(log))


def key_of(log: LogRef) -> dict[str, str | int]:
    """Return the primary key of the row about a log."""
    return KEYS.of(f"Equipment#{log['equipmentId']}", sort_key(log["state"], log["timestamp"], DISCRIMINATOR))


def assign(log: LogRef, crew: Crew, command: Command) -> Draft:
    """Decide which crew deals with a log.

    Raises:
        Invalid: the log's time lies ahead or too far back.

    """
    logs.ttl_of(log["timestamp"], now_ms=command.now_ms)
    # A rule of dispatch decides at the log's time, which may lie ahead; a person's decision is later.
    later = command._replace(now_ms=max(command.now_ms, times.to_ms(log["timestamp"]) + 1))
    # A person's decision replaces a rule's, and its reasons.
    content = content_of(log, crew)
    return Draft(content, attributes_of(log), command=later, needs_if_match=is_of_a_person)


def content_of(log: LogRef, crew: Crew) -> dict[str, object]:
    """Return the content of a row, with the reasons that `log` has, if it is an entity of a rule's decision."""
    return {**log_rows.content_of(log), "lead": crew["lead"], "members": crew["members"]}


def attributes_of(log: LogRef) -> dict[str, object]:
    """Return the attributes of a row beside its content."""
    return {"discriminator": DISCRIMINATOR, "ttl": log_rows.ttl_of(log)}


def to_response(row: CrewRow) -> CrewAssignment:
    """Return a row for a response; `timestamp` is the log's."""
    return {**log_rows.entity_of(row), "crew": {"lead": row["lead"], "members": row["members"]}}


def to_entity(row: CrewRow) -> CrewEntity:
    """Return the entity of a row; `timestamp` is the log's."""
    return {**log_rows.entity_of(row), "lead": row["lead"], "members": row["members"]}


fact_of: Final = fact_of_row(CREW_ASSIGNED, DISCRIMINATOR, partition="equipmentId", entity_of=to_entity)

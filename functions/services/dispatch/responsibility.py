"""Who deals with a log: its operator, and the supervisor that it was escalated to; set by a person, or by a rule."""

from typing import Any, Literal, NamedTuple, NotRequired, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import sort_key
from andon.dynamodb.ttl import ttl_at
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.rules.rule import BY, RULE, WHY, is_of_a_person
from andon.runtime import times
from andon.versions.optimistic_lock import Command, Draft, expected_by, fingerprint_of, revision_of
from contract import logs
from contract.entities import AssignmentEntity, EscalationEntity, LogRef, Why
from services.dispatch.fact_types import OPERATOR_ASSIGNED, STATE_ESCALATED
from services.dispatch.tables import KEYS, partition_of


class ResponsibilityRow(Why):
    """The row of an assignment (`operator`) or of an escalation (`supervisor`).

    Its primary key and version attributes stand beside. `logTimestamp` is fixed-width UTC, `ttl` epoch seconds.
    """

    discriminator: Literal["assignment", "escalation"]
    equipmentId: str  # noqa: N815  the row's name
    state: str
    logTimestamp: str  # noqa: N815
    operator: NotRequired[str]
    supervisor: NotRequired[str]
    ttl: int


def log_of(equipment_id: str, state: str, timestamp: str) -> LogRef:
    """Return a log's natural key."""
    return {"equipmentId": equipment_id, "state": state, "timestamp": timestamp}


def row_key(log: LogRef, discriminator: str) -> dict[str, str | int]:
    """Return the primary key of a row about a log."""
    return KEYS.of(partition_of(log["equipmentId"]), sort_key(log["state"], log["timestamp"], discriminator))


def ttl_of(log: LogRef) -> int:
    """Return the ttl (epoch seconds) of what is kept about a log, whenever it was said."""
    return ttl_at(times.to_ms(log["timestamp"]), logs.TTL_DAYS)


class Responsibility(NamedTuple):
    """A kind of responsibility; `discriminator` also names the entity and ends the sort key, `person` is its field."""

    discriminator: Literal["assignment", "escalation"]
    person: Literal["operator", "supervisor"]
    event_type: str

    def key_of(self, log: LogRef) -> dict[str, str | int]:
        """Return the primary key of the row about a log."""
        return row_key(log, self.discriminator)

    def decide(self, log: LogRef, person: str, command: Command) -> Draft:
        """Decide who deals with a log.

        Raises:
            Invalid: the log's time lies ahead or too far back.

        """
        # A person's decision replaces a rule's, and its reasons.
        content = self.content_of(log, person) | dict.fromkeys(WHY)
        ttl = logs.ttl_of(log["timestamp"], now_ms=command.now_ms)
        attributes = self.attributes_of(ttl)
        return Draft(content=content, attributes=attributes, command=command, needs_if_match=is_of_a_person)

    def decided_row(self, log: LogRef, person: str, *, at_ms: int) -> Item:
        """Return the row that a rule puts, the one that a person would have put at `at_ms`; its key aside."""
        body = {self.person: person}
        fingerprint = fingerprint_of(
            route=self.event_type, path=cast("dict[str, str]", log), if_match=None, body=body, actor=RULE
        )
        command = Command(actor=RULE, now_ms=at_ms, if_match=None, fingerprint=fingerprint)
        attributes = self.attributes_of(ttl_of(log))
        draft = Draft(content=self.content_of(log, person) | {BY: RULE}, attributes=attributes, command=command)
        return {**revision_of(draft, expected_by(command)), **attributes}

    def content_of(self, log: LogRef, person: str) -> dict[str, Any]:
        """Return what a row says, but for the reasons of a rule."""
        return {
            "equipmentId": log["equipmentId"],
            "state": log["state"],
            "logTimestamp": log["timestamp"],
            self.person: person,
        }

    def attributes_of(self, ttl: int) -> dict[str, Any]:
        """Return what stands on a row beside its content; ttl: epoch seconds."""
        return {"discriminator": self.discriminator, "ttl": ttl}

    def to_response(self, item: Item) -> AssignmentEntity | EscalationEntity:
        """Return what a response or an event says of a row; `timestamp` is the log's."""
        row = cast("ResponsibilityRow", item)
        entity: dict[str, object] = {
            "equipmentId": row["equipmentId"],
            "state": row["state"],
            "timestamp": row["logTimestamp"],
            self.person: row[self.person],
            **{name: item[name] for name in WHY if name in item},
        }
        return cast("AssignmentEntity | EscalationEntity", entity)

    def fact_of(self, change: Change) -> Fact | None:
        """Return the fact that a log has an operator or a supervisor, or another one."""
        if change.new is None:
            return None
        return Fact(
            type=self.event_type,
            timestamp_ms=change.new["timestamp"],
            partition_key=change.new["equipmentId"],
            entity_name=self.discriminator,
            entity=self.to_response(change.new),
            actor=author_in(change.new),
        )


ASSIGNMENT = Responsibility("assignment", "operator", OPERATOR_ASSIGNED)
ESCALATION = Responsibility("escalation", "supervisor", STATE_ESCALATED)

"""The operator of a log, and the supervisor that it was escalated to; set by a person, or by a rule."""

from typing import Literal, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import sort_key
from andon.events.fact import Meaning, fact_of_row
from andon.rules.rule import BY, RULE, is_of_a_person
from andon.runtime.marks import NotRequired
from andon.versions.optimistic_lock import Command, Draft, VersionedRow, expected_by, fingerprint_of, revision_of
from andon.versions.versioned_write import Versions
from contract import log_rows, logs
from contract.entities.logs import LogRef
from contract.log_rows import LogRow
from services.dispatch.fact_types import OPERATOR_ASSIGNED, STATE_ESCALATED
from services.dispatch.tables import KEYS, TABLE, partition_of


class ResponsibilityRow(LogRow, VersionedRow):
    """The row of an assignment (`operator`) or of an escalation (`supervisor`), its primary key aside."""

    operator: NotRequired[str]
    supervisor: NotRequired[str]


def row_key(log: LogRef, discriminator: str) -> dict[str, str | int]:
    """Return the primary key of a row about a log."""
    return KEYS.of(partition_of(log["equipmentId"]), sort_key(log["state"], log["timestamp"], discriminator))


class Responsibility(NamedTuple):
    """A kind of responsibility; `discriminator` also names the entity and ends the sort key, `person` is its field."""

    discriminator: Literal["assignment", "escalation"]
    person: Literal["operator", "supervisor"]
    event_type: str

    def key_of(self, log: LogRef) -> dict[str, str | int]:
        """Return the primary key of the row about a log."""
        return row_key(log, self.discriminator)

    def versions_of(self, log: LogRef) -> Versions[ResponsibilityRow]:
        """Return the place of the row about a log."""
        return Versions(table=TABLE, key=self.key_of(log))

    def decide(self, log: LogRef, person: str, command: Command) -> Draft:
        """Decide the responsible person of a log.

        Raises:
            Invalid: the log's time lies ahead or too far back.

        """
        logs.ttl_of(log["timestamp"], now_ms=command.now_ms)
        # A person's decision replaces a rule's, and its reasons.
        content = self.content_of(log, person)
        return Draft(content, self.attributes_of(log), command=command, needs_if_match=is_of_a_person)

    def decided_row(self, log: LogRef, person: str, *, at_ms: int) -> Item:
        """Return the row that a rule puts, the one that a person would have put at `at_ms`; its key aside."""
        fingerprint = fingerprint_of(
            route=self.event_type, path=log, if_match=None, body={self.person: person}, actor=RULE
        )
        command = Command(actor=RULE, now_ms=at_ms, if_match=None, fingerprint=fingerprint)
        attributes = self.attributes_of(log)
        draft = Draft(content=self.content_of(log, person) | {BY: RULE}, attributes=attributes, command=command)
        return {**revision_of(draft, expected_by(command)), **attributes}

    def content_of(self, log: LogRef, person: str) -> dict[str, object]:
        """Return the content of a row, with the reasons that `log` has, if it is an entity of a rule's decision."""
        return {**log_rows.content_of(log), self.person: person}

    def attributes_of(self, log: LogRef) -> dict[str, object]:
        """Return the attributes of a row beside its content."""
        return {"discriminator": self.discriminator, "ttl": log_rows.ttl_of(log)}

    def to_response(self, row: ResponsibilityRow) -> dict[str, object]:
        """Return a row for a response or an event; `timestamp` is the log's."""
        return {**log_rows.entity_of(row), self.person: row[self.person]}

    @property
    def fact_of(self) -> Meaning:
        """The fact that a log has an operator or a supervisor, or another one."""
        return fact_of_row(self.event_type, self.discriminator, partition="equipmentId", entity_of=self.to_response)


ASSIGNMENT = Responsibility("assignment", "operator", OPERATOR_ASSIGNED)
ESCALATION = Responsibility("escalation", "supervisor", STATE_ESCALATED)

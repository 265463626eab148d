"""Who sees to a log: the operator it is assigned to, the supervisor it is escalated to; by a person, or by a rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contract import logs, times
from patterns.dynamodb.keys import sort_key
from patterns.dynamodb.ttl import ttl_at
from patterns.events.fact import Change, Fact
from patterns.rules.rule import BY, RULE, WHY
from patterns.versions.optimistic_lock import Command, Draft, expected_by, fingerprint_of, revision_of
from services.dispatch.tables import KEYS, partition_of

Log = Mapping[str, str]
"""`{equipmentId, state, timestamp}`: a log's natural key."""


def log_of(equipment_id: str, state: str, timestamp: str) -> Log:
    """Name a log."""
    return {"equipmentId": equipment_id, "state": state, "timestamp": timestamp}


def row_key(log: Log, discriminator: str) -> dict[str, str | int]:
    """Give the primary key of the row that says something about a log."""
    return KEYS.of(partition_of(log["equipmentId"]), sort_key(log["state"], log["timestamp"], discriminator))


@dataclass(frozen=True, slots=True)
class Responsibility:
    """A kind of responsibility; `discriminator` also names the entity and ends the sort key, `person` is its field."""

    discriminator: str
    person: str
    event_type: str

    def key_of(self, log: Log) -> dict[str, str | int]:
        """Give the primary key of the row about a log."""
        return row_key(log, self.discriminator)

    def decide(self, log: Log, person: str, command: Command) -> Draft:
        """Decide who is to see to a log.

        Raises:
            Invalid: the log's time lies ahead or too far back.

        """
        # What a rule had decided, and why, goes with the first word of a person.
        content = self._content(log, person) | dict.fromkeys(WHY)
        ttl = logs.ttl_of(log["timestamp"], now_ms=command.now_ms)
        return Draft(content=content, attributes=self._attributes(ttl), command=command)

    def decided(self, log: Log, person: str, *, at_ms: int) -> dict[str, Any]:
        """Give the row that a rule puts, `at_ms` being when it came to be so: the one that a person would have put."""
        body = {self.person: person}
        fingerprint = fingerprint_of(route=self.event_type, path=log, if_match=None, body=body, actor=RULE)
        command = Command(actor=RULE, now_ms=at_ms, if_match=None, fingerprint=fingerprint)
        attributes = self._attributes(ttl_at(times.to_ms(log["timestamp"]), logs.TTL_DAYS))
        draft = Draft(content=self._content(log, person) | {BY: RULE}, attributes=attributes, command=command)
        return {**revision_of(draft, expected_by(command)), **attributes}

    def _content(self, log: Log, person: str) -> dict[str, Any]:
        return {
            "equipmentId": log["equipmentId"],
            "state": log["state"],
            "logTimestamp": log["timestamp"],
            self.person: person,
        }

    def _attributes(self, ttl: int) -> dict[str, Any]:
        return {"discriminator": self.discriminator, "ttl": ttl}

    def to_response(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Give what an answer or an event says: `{equipmentId, state, timestamp, <person>}`, the log's timestamp.

        Of what a rule decided also `{by, rule, triggers: [{id, type, timestamp}]}`.
        """
        return {
            "equipmentId": row["equipmentId"],
            "state": row["state"],
            "timestamp": row["logTimestamp"],
            self.person: row[self.person],
            **{name: row[name] for name in WHY if name in row},
        }

    def fact_of(self, change: Change) -> Fact | None:
        """Tell who sees to a log now."""
        if change.new is None:
            return None
        return Fact(
            type=self.event_type,
            timestamp=change.new["timestamp"],
            partition_key=change.new["equipmentId"],
            entity_name=self.discriminator,
            entity=self.to_response(change.new),
        )


ASSIGNMENT = Responsibility("assignment", "operator", "operator-assigned")
ESCALATION = Responsibility("escalation", "supervisor", "state-escalated")

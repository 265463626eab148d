"""What a rule tells of a piece of equipment as a whole: that it is at risk, silent, back."""

from dataclasses import dataclass
from typing import Any

from contract import logs, times
from patterns.dynamodb.ttl import ttl_at
from patterns.events.domain_event import DomainEvent
from patterns.events.fact import Change, Fact
from patterns.rules.rule import WHY, Decision, decision_key
from services.dispatch.reports import equipment_in
from services.dispatch.tables import KEYS

TOLD = ("equipmentId", "since", "timestamp", "reason", *WHY)


@dataclass(frozen=True, slots=True)
class Alert:
    """A kind of alert; `type` also names its rows, `entity` what its events speak of."""

    type: str
    entity: str

    def decide(
        self,
        triggers: tuple[DomainEvent, ...],
        *,
        subject: str,
        since: str,
        at_ms: int,
        reason: str | None = None,
    ) -> Decision:
        """Decide an alert about the equipment that reported the `triggers`.

        subject: what it is about, by a time, so that it is decided once. since: when that began, fixed-width UTC.
        at_ms: when it came to be so.
        """
        told = {
            "equipmentId": triggers[-1].entity("state").text("equipmentId"),
            "since": since,
            "timestamp": times.to_utc(at_ms),
        }
        return Decision(
            key=decision_key(KEYS, equipment_in(triggers[-1]), self.type, subject),
            row={
                **(told if reason is None else {**told, "reason": reason}),
                "discriminator": self.type,
                "at": at_ms,
                "ttl": ttl_at(at_ms, logs.TTL_DAYS),
            },
            triggers=triggers,
        )

    def fact_of(self, change: Change) -> Fact | None:
        """Tell of an alert: `{equipmentId, since, timestamp, reason?, by, rule, triggers}`; it is never taken back."""
        if change.kind != "INSERT":
            return None
        row = change.row
        return Fact(
            type=self.type,
            timestamp=row["at"],
            partition_key=row["equipmentId"],
            entity_name=self.entity,
            entity=self.to_response(row),
        )

    def to_response(self, row: dict[str, Any]) -> dict[str, Any]:
        """Give what an event says of it."""
        return {name: row[name] for name in TOLD if name in row}


AT_RISK = Alert("equipment-at-risk", "risk")
SILENT = Alert("equipment-silent", "silence")
BACK = Alert("equipment-back", "silence")

ALERTS = (AT_RISK, SILENT, BACK)

"""Alerts of rules about a piece of equipment as a whole: it is at risk, silent, back."""

from operator import itemgetter
from typing import NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import Meaning, fact_of_row
from andon.rules.rule import Decision, decision_key
from andon.runtime import times
from andon.runtime.json_types import members_of
from andon.runtime.marks import NotRequired
from contract import logs
from contract.entities.alerts import AlertEntity, RiskEntity, SilenceEntity
from services.dispatch.fact_types import EQUIPMENT_AT_RISK, EQUIPMENT_BACK, EQUIPMENT_SILENT
from services.dispatch.reports import partition_in
from services.dispatch.tables import KEYS


class AlertRow(AlertEntity):
    """The row of an alert, its primary key aside. `at` is epoch milliseconds, `ttl` epoch seconds."""

    discriminator: str
    at: int
    ttl: int
    reason: NotRequired[str]


EntityOfAlert = type[AlertEntity]


class Alert(NamedTuple):
    """A kind of alert; `type` also names its rows, `entity_name` the entity of its events, which is an `entity`."""

    type: str
    entity_name: str
    entity: EntityOfAlert

    def decide(
        self, triggers: tuple[DomainEvent, ...], *, subject: str, since: str, at_ms: int, reason: str | None = None
    ) -> Decision:
        """Decide an alert about the equipment that reported the `triggers`.

        subject: the time that it is about, so that it is decided once. since: when that began, fixed-width UTC.
        at_ms: when the alert became true.
        """
        row: AlertRow = {
            "equipmentId": triggers[-1].entity("state").text("equipmentId"),
            "since": since,
            "timestamp": times.to_utc(at_ms),
            "discriminator": self.type,
            "at": at_ms,
            "ttl": ttl_at(at_ms, logs.TTL_DAYS),
        }
        if reason is not None:
            row["reason"] = reason
        key = decision_key(KEYS, partition_in(triggers[-1]), self.type, subject)
        return Decision(key=key, row=row, triggers=triggers)

    @property
    def fact_of(self) -> Meaning:
        """The fact that equipment is at risk, silent or back; it is never taken back."""
        name, of, at = self.entity_name, self.to_entity, itemgetter("at")
        return fact_of_row(self.type, name, partition="equipmentId", entity_of=of, time_of=at, once=True)

    def to_entity(self, item: Item) -> AlertEntity:
        """Return the entity of a row."""
        return members_of(self.entity, item)


AT_RISK = Alert(EQUIPMENT_AT_RISK, "risk", RiskEntity)
SILENT = Alert(EQUIPMENT_SILENT, "silence", SilenceEntity)
BACK = Alert(EQUIPMENT_BACK, "silence", SilenceEntity)

ALERTS = (AT_RISK, SILENT, BACK)

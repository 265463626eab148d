"""Reports, as dispatch's rules see them, and the abnormal ones among them."""

from collections.abc import Iterable
from typing import Any

from andon.events.domain_event import DomainEvent, Entity
from contract.entities.alerts import TroubleRef
from contract.entities.logs import LogRef
from contract.log_rows import log_of
from contract.names import NORMAL
from contract.reports import STATE_REPORTED
from services.dispatch.fact_types import ENTITY_OF
from services.dispatch.tables import partition_of


def is_report(event: DomainEvent) -> bool:
    """Return True if equipment reported its state, in words that can be read."""
    return event.type == STATE_REPORTED and is_readable(event)


def is_readable(event: DomainEvent) -> bool:
    """Return True if an event has the entity of its type, with the natural key of a log."""
    fields = _about(event.entities.get(_name_of_entity(event)))
    if not isinstance(fields, dict):
        return False
    texts = [fields.get("equipmentId"), fields.get("timestamp")]
    if event.type == STATE_REPORTED:
        texts.append(fields.get("state"))
    return all(texts) and {*map(type, texts)} == {str}


def entity_in(event: DomainEvent) -> Entity:
    """Return the entity of a report, or of an event of dispatch.

    Raises:
        Poison: there is none.

    """
    return event.entity(_name_of_entity(event))


def _name_of_entity(event: DomainEvent) -> str:
    return "state" if event.type == STATE_REPORTED else ENTITY_OF.get(event.type, "")


def about_in(event: DomainEvent) -> Entity:
    """Return the part of an entity that says which log it is about: the entity itself, or its `about`.

    Raises:
        Poison: there is none.

    """
    entity = entity_in(event)
    return entity._replace(fields=_about(entity.fields))


def _about(fields: Any) -> Any:  # noqa: ANN401  any JSON
    return fields.get("about", fields) if isinstance(fields, dict) else fields


def is_normal(event: DomainEvent) -> bool:
    """Return True if equipment reported the normal state."""
    return _state_of(event) == NORMAL and is_readable(event)


def is_abnormal(event: DomainEvent) -> bool:
    """Return True if equipment reported any other state."""
    return is_report(event) and _state_of(event) != NORMAL


def _state_of(event: DomainEvent) -> object:
    """Return the state that a report says, if it says one."""
    fields = event.entities.get("state") if event.type == STATE_REPORTED else None
    return fields.get("state") if isinstance(fields, dict) else None


def reports_in(events: Iterable[DomainEvent]) -> list[DomainEvent]:
    """Return the reports among events."""
    return [event for event in events if is_report(event)]


def log_in(event: DomainEvent) -> LogRef:
    """Return the natural key of the log that a report is, or that a fact is about."""
    entity = about_in(event)
    return log_of(entity.text("equipmentId"), entity.text("state"), entity.text("timestamp"))


def trouble_of(log: LogRef, call_id: str | None = None) -> TroubleRef:
    """Return a log, or a call as one, as a trouble."""
    trouble: TroubleRef = {"equipmentId": log["equipmentId"], "state": log["state"], "timestamp": log["timestamp"]}
    if call_id is not None:
        trouble["callId"] = call_id
    return trouble


def time_in(report: DomainEvent) -> str:
    """Return the time of a report, fixed-width UTC."""
    return report.entity("state").text("timestamp")


def partition_in(event: DomainEvent) -> str:
    """Return the partition of the equipment, which is the key that its events correlate by."""
    return partition_of(event.entity("state").text("equipmentId"))

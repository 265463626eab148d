"""Reports over MQTT -> the events of POST /states.

| thing | topic | publishes |
|---|---|---|
| `<stack>:<equipment id>` | `<stack>/equipment/<thing>/state` | a report, or up to 100: without `equipmentId` |
| `<stack>:<factory id>` | `<stack>/factory/<thing>/states` | the same with it, of equipment that is registered there |
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from andon.events.domain_event import DomainEvent
from andon.http.models import fields_of
from andon.ingress.ingress import Ingress
from andon.ingress.message import Message
from andon.runtime.errors import Invalid
from services.equipment import connection, reports
from services.equipment.bodies import ReportBody, Reports
from services.equipment.provisioning import PROVISIONING
from services.equipment.reporting import Reporter
from services.equipment.things import GATEWAY, MACHINE

ID: Final = "equipmentId"


def events_of(message: Message, tags: Mapping[str, str]) -> list[DomainEvent]:
    """Return the events of the reports in a message, all of them or none.

    Times are compared with the broker's: a message that waited is as good as it was.

    Raises:
        Invalid, Forbidden: see POST /states; or a machine names equipment, which its topic does.

    """
    is_machine = message.kind == MACHINE.name
    reporter = Reporter(
        # As a token's subject names a user: what a thing is called, whichever certificate it has today.
        subject=message.thing,
        is_for_any=False,
        equipment_id=message.name if is_machine else None,
        factory_id=None if is_machine else message.name,
    )
    items = message.content if isinstance(message.content, list) else [message.content]
    said = _validated([_with_id(item, message.name) for item in items] if is_machine else items)
    return reports.events_of(said, reporter, tags=tags, now_ms=message.at_ms)


def _with_id(item: object, equipment_id: str) -> object:
    """Return an item of a machine as one of POST /states."""
    if not isinstance(item, dict):
        return item
    if ID in item:
        raise Invalid.field(f"body.{ID}", "is said by the topic, and not again")
    return {ID: equipment_id, **item}


def _validated(items: list[Any]) -> list[ReportBody]:
    try:
        return _reports().validate_python(items)
    except ValidationError as error:
        raise Invalid("The reports are invalid.", fields=fields_of(error.errors(), below="body")) from error


@cache
def _reports() -> TypeAdapter[list[ReportBody]]:
    return TypeAdapter(Reports)


INGRESS: Final = Ingress((MACHINE, GATEWAY), events_of, on_presence=connection.keep, provisioning=PROVISIONING)

"""Reports over MQTT -> the events of POST /states.

| thing | topic | publishes |
|---|---|---|
| `<stack>:<equipment id>` | `<stack>/equipment/<thing>/state` | a report, or up to 100: without `equipmentId` |
| `<stack>:<factory id>` | `<stack>/factory/<thing>/states` | the same with it, of equipment that is registered there |
"""

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from andon.events.domain_event import DomainEvent
from andon.http.derived import validated
from andon.http.models import fields_of
from andon.ingress.ingress import Ingress, Message, Unusable
from andon.runtime.errors import Forbidden, Invalid
from contract.entities.reports import REPORTS_AT_ONCE
from services.equipment import connection, reports
from services.equipment.bodies import ReportBody
from services.equipment.provisioning import PROVISIONING
from services.equipment.reporting import Reporter
from services.equipment.things import GATEWAY, MACHINE

ID: Final = "equipmentId"
FIRST: Final = "body.0"
"""Place of a report that stands for itself, as it would be named in a list of its own."""


def events_of(message: Message, tags: Mapping[str, str]) -> list[DomainEvent | Unusable]:
    """Return the event of each report in a message, or why it can have none: nobody hears of a neighbour's mistake.

    Times are compared with the broker's: a message that waited is as good as it was.

    Raises:
        Invalid: there is no report, or there are too many.

    """
    reporter = _reporter_of(message)
    items = message.content if isinstance(message.content, list) else [message.content]
    if not 0 < len(items) <= REPORTS_AT_ONCE:
        raise Invalid.field("body", f"must be a report, or a list of 1 to {REPORTS_AT_ONCE}")
    read = [_read(item, reporter.equipment_id) for item in items]
    registrations = reports.registrations_for([one for one in read if not isinstance(one, Invalid)], reporter)

    def event_of(report: ReportBody, item: object) -> DomainEvent | Unusable:
        try:
            [event] = reports.events_of([report], reporter, registrations, tags=tags, now_ms=message.at_ms)
        except (Forbidden, Invalid) as error:
            return Unusable([item], error)
        return event

    pairs = zip(read, items, strict=True)
    return [Unusable([item], one) if isinstance(one, Invalid) else event_of(one, item) for one, item in pairs]


def _reporter_of(message: Message) -> Reporter:
    is_machine = message.kind == MACHINE.name
    return Reporter(
        # As a token's subject names a user: what a thing is called, whichever certificate it has today.
        subject=message.thing,
        is_for_any=False,
        equipment_id=message.name if is_machine else None,
        factory_id=None if is_machine else message.name,
    )


def _read(item: object, equipment_id: str | None) -> ReportBody | Invalid:
    """Return an item of a message as a report of POST /states; equipment_id: of a machine, which its topic says."""
    if equipment_id is not None and isinstance(item, dict):
        if ID in item:
            return Invalid.field(f"{FIRST}.{ID}", "is said by the topic, and not again")
        item = {ID: equipment_id, **item}
    try:
        return validated(ReportBody, item)
    except ValidationError as error:
        return Invalid("The report is invalid.", fields=fields_of(error.errors(), below=FIRST))


INGRESS: Final = Ingress((MACHINE, GATEWAY), events_of, on_presence=connection.keep, provisioning=PROVISIONING)

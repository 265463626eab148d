"""Requests for help: the facts that there is trouble, that somebody is asked, that nobody is on duty. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import Meaning, fact_of_row
from andon.rules.rule import Decision, decision_key
from andon.runtime.json_types import members_of
from contract import logs
from contract.chains import CALL, Asking, person_for
from contract.entities.alerts import CallRef, HelpEntity, NobodyEntity, TroubleEntity, TroubleRef
from contract.entities.logs import LogRef
from services.dispatch.fact_types import ENTITY_OF, HELP_REQUESTED, NOBODY_FOUND, TROUBLE_OPENED
from services.dispatch.known import Known
from services.dispatch.reports import log_in, trouble_of
from services.dispatch.tables import KEYS, partition_about

ENTITIES: Final = {TROUBLE_OPENED: TroubleEntity, HELP_REQUESTED: HelpEntity, NOBODY_FOUND: NobodyEntity}


def open_trouble(
    log: TroubleRef, known: Known, askings: Iterable[Asking], trigger: DomainEvent, *, at_ms: int, ticks: list[int]
) -> Decision:
    """Decide that there is trouble, once for its log, or its call; at_ms: since when that is known."""
    entity = {
        **log,
        **_place(known, log["equipmentId"]),
        "chains": sorted({asking.chain for asking in askings}),
        "ticks": ticks,
    }
    return _decide(TROUBLE_OPENED, _name_of(log), log, entity, trigger, at_ms=at_ms)


def ask(
    asking: Asking, log: TroubleRef, known: Known, assigned: str | None, trigger: DomainEvent, *, at_ms: int
) -> Iterator[Decision]:
    """Decide whom to ask for help about a trouble at a step of a chain: one person, once.

    Where nobody is on duty whom the step tells, that is a fact, too, and the supervisor of the roster is asked.
    """
    equipment_id = log["equipmentId"]
    duty = known.on_duty(at_ms)
    person = person_for(asking.tell, duty, subject=equipment_id, assigned=assigned, gone=known.gone)
    said = {
        "about": _about(log),
        **_place(known, equipment_id),
        "what": log["state"].removeprefix(CALL),
        "since": log["timestamp"],
        **{name: getattr(asking, name) for name in ("chain", "step", "repeat", "minutes", "urgency")},
    }
    subject = f"{_name_of(log)} {asking.chain} {asking.step} {asking.repeat}"
    if person is None:
        person = known.supervisor_at(at_ms)
        nobody = {"tell": asking.tell, **({"asked": person} if person else {})}
        yield _decide(NOBODY_FOUND, subject, log, said | nobody, trigger, at_ms=at_ms)
    if person is not None:
        yield _decide(HELP_REQUESTED, subject, log, said | {"person": person}, trigger, at_ms=at_ms)


def begun_in(trouble: DomainEvent) -> set[str]:
    """Return the chains that begin with a trouble."""
    return {*trouble.entity("trouble").get("chains")}


def trouble_in(trouble: DomainEvent) -> TroubleRef:
    """Return the natural key of a trouble that was opened."""
    return trouble_of(log_in(trouble), trouble.entity("trouble").optional_text("callId"))


def _place(known: Known, equipment_id: str) -> dict[str, str]:
    line = {} if known.place.line_id is None else {"lineId": known.place.line_id}
    return {"name": known.place.name or equipment_id, "factoryId": known.place.factory_id, **line}


def _about(log: TroubleRef) -> LogRef | CallRef:
    if "callId" in log:
        return {"callId": log["callId"], "equipmentId": log["equipmentId"]}
    return {"equipmentId": log["equipmentId"], "state": log["state"], "timestamp": log["timestamp"]}


def _name_of(log: TroubleRef) -> str:
    return f"{log['timestamp']} {log.get('callId', log['state'])}"


def _decide(
    event_type: str, subject: str, log: TroubleRef, entity: Mapping[str, object], trigger: DomainEvent, *, at_ms: int
) -> Decision:
    row = {
        **entity,
        "equipmentId": log["equipmentId"],
        "discriminator": event_type,
        "at": at_ms,
        "ttl": ttl_at(at_ms, logs.TTL_DAYS),
    }
    key = decision_key(KEYS, partition_about(log), event_type, subject)
    return Decision(key=key, row=row, triggers=(trigger,))


def _fact_of(event_type: str) -> Meaning:
    def entity_of(row: Item) -> dict[str, object]:
        return {**members_of(ENTITIES[event_type], row)}

    name = ENTITY_OF[event_type]
    return fact_of_row(
        event_type, name, partition="equipmentId", entity_of=entity_of, time_of=itemgetter("at"), once=True
    )


FACTS_OF: Final = {event_type: _fact_of(event_type) for event_type in ENTITIES}

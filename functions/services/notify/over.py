"""The end of a webhook's telling: an incident that it opened is resolved, once nothing of it goes on.

A message of kind `over` names the message that told. It is decided by the fact of a telling and the facts that end its
subjects, whichever is stored last. The sender claims it as any other; it tells nobody anything.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from andon.dynamodb.keys import sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.events.domain_event import DomainEvent
from andon.outbound.addresses import PAGERDUTY, is_at
from andon.outbound.delivery import DELIVERY, Delivery, Message, Notice, Status, Waiting, Wake, Way
from andon.rules.rule import Decision, History, Rule, decision_key
from andon.rules.stored_event import PREFIX, readable
from andon.rules.timing import AtOnce
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonMapping
from contract import calls
from contract.calls import CLOSED, REJECTED
from services.notify import message
from services.notify.about import (
    ENTITY_OF,
    EQUIPMENT_BACK,
    TROUBLE_ENDED,
    equipment_partition_of,
    is_over,
    partition_of,
)
from services.notify.contact import address_of, reach_of
from services.notify.fact_types import MESSAGE_DECIDED, SOURCE, TROUBLE_TOLD
from services.notify.message import OVER
from services.notify.reach import LANGUAGE, way_to
from services.notify.tables import KEYS, TABLE, TTL_DAYS
from services.notify.tables import partition_of as partition_of_person

CHANNEL: Final = "webhook"

MOST: Final = 50
"""Events of its equipment on each side of one: who is told often of one trouble has one incident of it."""

MOST_OF_CALL: Final = 1_000
"""A call may outlast as many events of its equipment."""


class EndedTelling(NamedTuple):
    """The delivery that told an ended subject, and the way to tell the end."""

    told: Delivery
    way: Way


def equipment_told(telling: DomainEvent) -> str | None:
    """Return the partition of the equipment of a telling by a webhook; None: it was by another channel."""
    entity = telling.entity("telling")
    return equipment_partition_of(entity.text("equipmentId")) if entity.text("channel") == CHANNEL else None


def over(history: History) -> Iterator[Decision]:
    """Decide that tellings about the equipment are over, those that the anchor ends."""
    anchor = history.anchor
    ends = [event for event in history.events if event.type in ENTITY_OF]
    for told in (event for event in history.events if event.type == TROUBLE_TOLD):
        subjects = told.entity("telling").get("about")
        is_last = anchor is told or any(is_over(one, [anchor]) for one in subjects if anchor.type in ENTITY_OF)
        if is_last and all(is_over(one, ends) for one in subjects):
            yield _decide(told, anchor, at_ms=history.arrived_ms[anchor.id])


def _decide(told: DomainEvent, anchor: DomainEvent, *, at_ms: int) -> Decision:
    telling = told.entity("telling")
    person, of = telling.text("person"), telling.text("message")
    row = message.row_of(person, at_ms, OVER, at_ms=at_ms) | {"id": f"{at_ms:013d}.{OVER}.{of}"}
    subject = f"{OVER} {of} {telling.text('equipmentId')}"
    triggers = (told,) if anchor is told else (told, anchor)
    return Decision(decision_key(KEYS, partition_of_person(person), "message", subject), row, triggers)


def told_in(message_id: str) -> str | None:
    """Return the message that told an ended subject, by the id of a message; None: that tells no end."""
    _, kind, told = (*message_id.split(".", 2), "", "")[:3]
    return told if kind == OVER else None


def waiting_of(wake: Wake, told: str) -> Waiting:
    """Read the ended notices of a message: all of its subjects, or none yet. An untold recipient gets nothing."""
    ended = _ended(wake.recipient, told)
    notices = () if ended is None else [*_notices(wake, ended)]
    return Waiting(notices, notices)


def ended_in(notice: Notice) -> EndedTelling:
    """Return the end in a notice."""
    if not isinstance(notice.detail, EndedTelling):
        raise TypeError("this notice is of no end")
    return notice.detail


def compose(wake: Wake, way: Way, notices: Sequence[Notice]) -> Message:
    """Make the message: only the name of the subject, as it was told."""
    told = ended_in(notices[0]).told
    name = name_of(told.message, told.about)
    return Message(wake.message, way.address, "", "", "low", name, None, way.language, is_over=True)


def name_of(message_id: str, subjects: Sequence[JsonMapping]) -> str:
    """Return the one trouble of a message, the same for each recipient and repetition; of several, its own name.

    Else a message about one of them would take the place of one about all.
    """
    names = {partition_of(one) for one in subjects}
    return names.pop() if len(names) == 1 else message_id


def _ended(recipient: str, told: str) -> EndedTelling | None:
    row = TABLE.get(KEYS.of(recipient, sort_key(DELIVERY, told, CHANNEL)), consistent=True)
    delivery = None if row is None else Delivery.of(row, KEYS)
    if delivery is None or delivery.status is not Status.SENT:
        return None
    way = _way_of(recipient)
    return EndedTelling(delivery, way) if way is not None and _is_all_over(delivery) else None


def _way_of(recipient: str) -> Way | None:
    """Return the way to the webhook of a person; None: there is none that takes an end."""
    reach = reach_of(recipient)
    if reach is None or CHANNEL not in reach["verified"]:
        return None
    contact = reach["contact"]
    way = way_to(CHANNEL, address_of(contact, CHANNEL), contact.get("language", LANGUAGE))
    return way if is_at(way.host, PAGERDUTY) else None


def _is_all_over(delivery: Delivery) -> bool:
    """Return True if all that a delivery told of is over; machines are read only up to the first that is not."""
    machines = dict.fromkeys(str(one["equipmentId"]) for one in delivery.about)
    return all(
        is_over(one, ends)
        for machine, ends in zip(machines, map(_ends_at, machines), strict=True)
        for one in delivery.about
        if one["equipmentId"] == machine
    )


def _ends_at(equipment_id: str) -> list[DomainEvent]:
    """Return the newest facts that end subjects of a piece of equipment."""
    query = KeyQuery(KEYS, equipment_partition_of(equipment_id), BeginsWith(PREFIX))
    stored = readable(TABLE.query(query, limit=MOST_OF_CALL, consistent=True).items, KEYS)
    return [one.event for one in stored if one.event.type in ENTITY_OF]


def _notices(wake: Wake, ended: EndedTelling) -> Iterator[Notice]:
    for number, about in enumerate(ended.told.about):
        yield Notice(f"{OVER} {ended.told.message} {number}", wake.at_ms, about, detail=ended)


def _partition_in(event: DomainEvent) -> str:
    name = "telling" if event.type == TROUBLE_TOLD else ENTITY_OF[event.type]
    return equipment_partition_of(event.entity(name).text("equipmentId"))


def _is_of_call(event: DomainEvent) -> bool:
    """Return True for the end of a call, and for a telling of one."""
    return event.type != TROUBLE_TOLD or any("callId" in one for one in event.entity("telling").get("about"))


OF_EQUIPMENT: Final = Rule(
    id=OVER,
    on=frozenset({(SOURCE, TROUBLE_TOLD), ("dispatch", TROUBLE_ENDED), ("dispatch", EQUIPMENT_BACK)}),
    key=_partition_in,
    most=MOST,
    window_ms=TTL_DAYS * DAY_MS,
    timing=AtOnce(after_ms=(TTL_DAYS - 1) * DAY_MS),  # both ways: what ended may be told of later
    nearest_suffice=True,  # what was told before those was decided upon when it ended
    is_replayable=False,  # what the sender told is in its rows alone
    expression=over,
    emits=frozenset({MESSAGE_DECIDED}),
)

RULES: Final = (
    OF_EQUIPMENT,
    OF_EQUIPMENT._replace(
        id=f"{OVER}-{MOST_OF_CALL}",
        on=frozenset({(SOURCE, TROUBLE_TOLD), (calls.SOURCE, CLOSED), (calls.SOURCE, REJECTED)}),
        when=_is_of_call,
        most=MOST_OF_CALL,
    ),
)

"""The rule that a message is overdue: its slot's requests were told nobody. A dead letter is not silence."""

from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.outbound.delivery import MOST_COVERED, Delivery, Notice, covering, deliveries_of
from andon.rules.rule import Decision, History, Rule, always, decision_key
from andon.rules.stored_event import CorrelationKey
from andon.rules.timing import AfterArrival
from andon.runtime import clock
from andon.runtime.clock import MINUTE_MS
from andon.runtime.json_types import members_of
from contract.entities.telling import FailedEntity
from services.notify import about
from services.notify.erased import is_erased
from services.notify.fact_types import DELIVERY_FAILED, MESSAGE_DECIDED, MESSAGE_OVERDUE, SOURCE
from services.notify.message import LATER, OVERDUE, SLOT_MS, decide
from services.notify.notices import known_of, request_in, seen_among
from services.notify.tables import KEYS, TABLE, TTL_DAYS, partition_of

AFTER_MS: Final = 10 * MINUTE_MS
LATE: Final = "late"
UNDELIVERED: Final = "undelivered"


class UndeliveredContext(NamedTuple):
    """The context of the rule: a person's recent requests, but for acknowledged ones; and the deliveries."""

    notices: tuple[Notice, ...]
    deliveries: tuple[Delivery, ...]
    now_ms: int

    def untold(self, slot_ms: int) -> list[Notice]:
        """Return the notices that arrived in a slot, and that no delivery told or may have told."""
        told = {notice for one in self.deliveries if one.may_have_told(self.now_ms) for notice in one.covers}
        return [
            notice
            for notice in self.notices
            if notice.id not in told and slot_ms <= request_in(notice).arrived_ms < slot_ms + SLOT_MS
        ]


def asked_of(key: CorrelationKey) -> UndeliveredContext:
    """Read the context of the rule."""
    now_ms = clock.now_ms()
    deliveries, known = deliveries_of(TABLE, key, now_ms), [] if is_erased(key) else known_of(key, now_ms)
    seen = seen_among(notice.about for notice in known)
    left = (notice for notice in known if about.partition_of(notice.about) not in seen)
    return UndeliveredContext(tuple(left), tuple(deliveries), now_ms)


def undelivered(history: History) -> Iterator[Decision]:
    """Decide that the untold requests in the slot of a message are late, and wake the sender once more."""
    message, anchor = history.anchor.entity("message"), history.anchor
    person, slot_ms = message.text("person"), message.whole_number("slot")
    untold = history.context_as(UndeliveredContext).untold(slot_ms)
    if not untold:
        return
    at_ms = slot_ms + SLOT_MS + AFTER_MS
    yield decide(person, slot_ms, OVERDUE, anchor, at_ms=at_ms)
    for first in range(0, len(untold), MOST_COVERED):
        said = covering(untold[first:])
        row = {
            "person": person,
            "about": list(said["about"]),
            "message": message.text("id"),
            "of": len(said["covers"]),
            "reason": LATE,
            "discriminator": UNDELIVERED,
            "at": at_ms,
            "ttl": ttl_at(at_ms, TTL_DAYS),
        }
        part = f"{slot_ms:013d}.{first // MOST_COVERED + 1}" if first else f"{slot_ms:013d}"
        yield Decision(decision_key(KEYS, partition_of(person), UNDELIVERED, part), row, (anchor,))


def _is_later(message: DomainEvent) -> bool:
    return message.entity("message").text("kind") == LATER


def _partition_in(message: DomainEvent) -> str:
    return partition_of(message.entity("message").text("person"))


def _failed_in(row: Item) -> FailedEntity:
    return members_of(FailedEntity, row)


fact_of: Final = fact_of_row(
    DELIVERY_FAILED, "failure", partition="person", entity_of=_failed_in, time_of=itemgetter("at"), once=True
)

RULE: Final = Rule(
    id=UNDELIVERED,
    on=frozenset({(SOURCE, MESSAGE_DECIDED)}),
    when=_is_later,
    key=_partition_in,
    window_ms=MINUTE_MS,
    until=always,  # it looks at its anchor alone
    timing=AfterArrival(AFTER_MS),
    needs_context=True,
    is_replayable=False,  # what the sender told is in its rows alone
    expression=undelivered,
    emits=frozenset({MESSAGE_OVERDUE, DELIVERY_FAILED}),
)

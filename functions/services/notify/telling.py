"""Records of tellings: rows of a delivery by equipment, which are facts; by call; and one of the person."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NotRequired, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.dynamodb.ttl import ttl_at
from andon.events.fact import fact_of_row
from andon.outbound.delivery import Delivery, Notice
from andon.runtime import times
from andon.runtime.json_types import JsonMapping, members_of
from andon.wire.in_parallel import in_parallel
from contract.entities.telling import TellingEntity
from services.notify.about import equipment_partition_of, partition_of
from services.notify.fact_types import TROUBLE_TOLD
from services.notify.tables import KEYS, TABLE, TTL_DAYS, person_in
from services.notify.tables import partition_of as partition_of_person

TOLD: Final = "told"
OF_EQUIPMENT: Final = "telling"
"""The discriminator of the rows that are facts."""

SENDER: Final = "sender"


class AboutResponse(TypedDict):
    """A log, or a call, that somebody was asked about."""

    equipmentId: str
    state: NotRequired[str]
    timestamp: NotRequired[str]
    callId: NotRequired[str]


class TellingResponse(TypedDict):
    """The person, time (fixed-width UTC) and channel of a telling; of so many requests, `about` the listed ones.

    They are the logs and calls of the equipment, or the call; of a person: all.
    """

    at: str
    person: str
    channel: str
    about: list[AboutResponse]
    of: int


def put_rows(delivery: Delivery, covered: Sequence[Notice]) -> None:  # noqa: ARG001  subjects stand in the delivery
    """Put the rows of a delivery; the same rows each time."""
    in_parallel([partial(_put, row) for row in _rows(delivery)])


def of_equipment(equipment_id: str) -> KeyQuery:
    """Return the query for tellings about a piece of equipment, newest first."""
    return _query(equipment_partition_of(equipment_id))


def of_call(call_id: str) -> KeyQuery:
    """Return the query for tellings of a call, newest first."""
    return _query(partition_of({"callId": call_id}))


def of_person(person: str) -> KeyQuery:
    """Return the query for the messages of a person, newest first."""
    return _query(partition_of_person(person))


def to_response(row: Item) -> TellingResponse:
    """Return a row for a response."""
    return members_of(TellingResponse, row)


def equipment_in(row: Item) -> str:
    """Return the equipment that a row about a call, or about equipment, is about."""
    equipment_id: str = row["about"][0]["equipmentId"]
    return equipment_id


def time_of(row: Item) -> str:
    """Return the time of the oldest trouble that a row is about, or when the message was sent, if that is older."""
    return min(map(str, (row["at"], *(about["timestamp"] for about in row["about"] if "timestamp" in about))))


def _rows(delivery: Delivery) -> Iterator[Item]:
    """Yield the rows of a delivery."""
    by_equipment: dict[str, list[JsonMapping]] = defaultdict(list)
    for about in delivery.about:
        by_equipment[str(about["equipmentId"])].append(about)
    for equipment_id, some in by_equipment.items():
        fact = {"equipmentId": equipment_id, "message": delivery.message}
        said = {**fact, "discriminator": OF_EQUIPMENT, "changedBy": SENDER}
        yield _row(delivery, equipment_partition_of(equipment_id), some) | said
    for about in delivery.about:
        if "callId" in about:
            yield _row(delivery, partition_of(about), [about])
    yield _row(delivery, delivery.recipient, delivery.about)


def _row(delivery: Delivery, partition: str, about: Iterable[JsonMapping]) -> Item:
    person = person_in(delivery.recipient)
    return {
        **KEYS.of(partition, sort_key(TOLD, f"{delivery.changed_ms:013d}", person, delivery.channel)),
        "discriminator": TOLD,
        "at": times.to_utc(delivery.changed_ms),
        "person": person,
        "channel": delivery.channel,
        "about": list(about),
        "of": len(delivery.covers),
        "ttl": ttl_at(delivery.changed_ms, TTL_DAYS),
    }


def _put(row: Item) -> None:
    with suppress(ConditionFailed):  # it was put before
        TABLE.put(row, condition=TABLE.absent)


def _query(partition: str) -> KeyQuery:
    return KeyQuery(KEYS, partition, BeginsWith(prefix(TOLD)))


def _entity_of(row: Item) -> TellingEntity:
    return members_of(TellingEntity, row)


def _told_ms(row: Item) -> int:
    return times.to_ms(row["at"])


fact_of: Final = fact_of_row(
    TROUBLE_TOLD, OF_EQUIPMENT, partition="equipmentId", entity_of=_entity_of, time_of=_told_ms, once=True
)

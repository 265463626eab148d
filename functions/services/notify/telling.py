"""Who was told of what: a row for each piece of equipment of a delivery, for its story."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.key_query import BeginsWith, KeyQuery
from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.ttl import ttl_at
from andon.outbound.delivery import Delivery, Notice
from andon.runtime import times
from andon.runtime.json_types import JsonMapping, members_of
from andon.wire.in_parallel import in_parallel
from contract.entities import CallRef, LogRef
from services.notify.about import equipment_partition_of
from services.notify.tables import KEYS, TABLE, TTL_DAYS, person_in

TOLD: Final = "told"


class TellingEntity(TypedDict):
    """Somebody was told by a channel, at a time (fixed-width UTC), of so many requests for help.

    about: those logs and calls of them that are the equipment's.
    """

    at: str
    person: str
    channel: str
    about: list[LogRef | CallRef]
    of: int


def tell_story(delivery: Delivery, covered: Sequence[Notice]) -> None:  # noqa: ARG001  subjects stand in the delivery
    """Put a row for each piece of equipment that a person was told of; the same rows each time."""
    subjects: dict[str, list[JsonMapping]] = defaultdict(list)
    for about in delivery.about:
        subjects[str(about["equipmentId"])].append(about)
    in_parallel([partial(_put, delivery, equipment_id, about) for equipment_id, about in subjects.items()])


def of_equipment(equipment_id: str) -> KeyQuery:
    """Return the query for who was told of a piece of equipment, newest first."""
    return KeyQuery(KEYS, equipment_partition_of(equipment_id), BeginsWith(prefix(TOLD)))


def to_response(row: Item) -> TellingEntity:
    """Return a row for a response."""
    return members_of(TellingEntity, row)


def _put(delivery: Delivery, equipment_id: str, about: Sequence[JsonMapping]) -> None:
    person = person_in(delivery.recipient)
    sort = sort_key(TOLD, f"{delivery.changed_ms:013d}", person, delivery.channel)
    row = {
        "discriminator": TOLD,
        "at": times.to_utc(delivery.changed_ms),
        "person": person,
        "channel": delivery.channel,
        "about": list(about),
        "of": len(delivery.covers),
        "ttl": ttl_at(delivery.changed_ms, TTL_DAYS),
    }
    TABLE.put({**KEYS.of(equipment_partition_of(equipment_id), sort), **row}, condition=UNCONDITIONAL)

"""Readings of an order: a log that is numbered by the atomic counter.

Who measures takes the next number, needs no version and is never refused for somebody else's sake. A process that ends
between the two writes leaves a gap, and a request that is sent again counts again: an order tolerates both. The numbers
never begin again while the order is there: nothing is taken without it, and it has gone a day before its readings.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypedDict, cast

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.keys import sort_key
from andon.dynamodb.schema import KeyQuery
from andon.runtime import times
from andon.versions import numbered_versions
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, VersionedRow
from services.maintenance.order_id import OrderId
from services.maintenance.tables import TABLE, partition_of

DISCRIMINATOR: Final = "readings"
KIND: Final = "Readings"


class Lasting(NamedTuple):
    """Until when a row is shown, and kept by the table, in epoch seconds."""

    shown_until: int
    kept_until: int

    @classmethod
    def of(cls, row: Attributes) -> "Lasting":
        """Return the dates of a row with a `Lifetime`."""
        return cls(row[ttl.DATE], row[ttl.ATTRIBUTE])


class ReadingsRow(TypedDict):
    """Some readings, their key aside; `version` is their number. takenAt: epoch milliseconds."""

    equipmentId: str
    date: str
    kind: str
    version: int
    readings: dict[str, float]
    takenAt: int
    takenBy: str


class ReadingsVersion(TypedDict):
    """Readings of an order under their number; times are fixed-width UTC. `date` is the day in the order's id."""

    equipmentId: str
    date: str
    kind: str
    number: int
    readings: dict[str, float]
    takenAt: str
    takenBy: str


def count(order: OrderId, readings: Mapping[str, float], lasting: Lasting, command: Command) -> ReadingsRow:
    """Give readings the next number. lasting: the dates of their order, which stand from its start on."""
    content = {
        "discriminator": DISCRIMINATOR,
        **order.attributes,
        "readings": readings,
        "takenAt": command.now_ms,
        "takenBy": command.actor,
        ttl.DATE: lasting.shown_until,
        ttl.ATTRIBUTE: lasting.kept_until,
    }
    log = _log_of(order)
    return _row_of(numbered_versions.revision_of(log, numbered_versions.count_up(log, content)))


def get(order: OrderId, number: int) -> ReadingsRow | None:
    """Read the readings of a number; None if there are none."""
    item = TABLE.get(_log_of(order).key_of(number), consistent=True)
    return _row_of(item) if item else None


def readings_of(order: OrderId) -> KeyQuery:
    """Return the query of an order's readings, the latest first."""
    return _log_of(order).history()


def time_of(row: Item) -> str:
    """Return when they were taken, fixed-width UTC."""
    return times.to_utc(row["takenAt"])


def to_response(row: ReadingsRow) -> ReadingsVersion:
    """Return some readings for a response."""
    return {
        "equipmentId": row["equipmentId"],
        "date": row["date"],
        "kind": row["kind"],
        "number": row["version"],
        "readings": row["readings"],
        "takenAt": times.to_utc(row["takenAt"]),
        "takenBy": row["takenBy"],
    }


def _log_of(order: OrderId) -> Numbered[VersionedRow]:
    """Return the place of its readings: the latest beside the order, each in a partition of the order."""
    return Numbered(
        table=TABLE,
        partition=partition_of(order.equipment_id),
        name=sort_key(KIND, order.date, order.kind),
        apart=True,
    )


def _row_of(item: Item) -> ReadingsRow:
    return cast("ReadingsRow", item)

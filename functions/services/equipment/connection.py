"""Connection of a machine to the broker: the facts that it was lost, and that it is back.

A machine that was off for no longer than the grace of the broker's queue was never gone: its return is written down
before its absence is heard of, which is then older.
"""

from typing import Final, NotRequired, TypedDict

from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.ingress.presence import Presence
from andon.runtime import times
from contract.entities import ConnectionEntity
from services.equipment.tables import TABLE, partition_of

CONNECTION_LOST: Final = "connection-lost"
CONNECTION_BACK: Final = "connection-back"

DISCRIMINATOR: Final = "connection"
BROKER: Final = "broker"
NAME: Final = "Connection"  # sorts behind the times of reports, see `state.py`


class ConnectionRow(TypedDict):
    """The newest that the broker said of a machine's client; `order`, `version`: see `Presence`. `at`: in epoch ms."""

    pk: str
    sk: str
    discriminator: str
    equipmentId: str
    isLost: bool
    at: int
    order: str
    version: int
    reportedBy: str
    reason: NotRequired[str]


def keep(presence: Presence) -> bool:
    """Write down whether a machine is connected; return False if something newer is known."""
    newer = Condition("attribute_not_exists(#order) OR #order < :order", {"order": "order"}, {"order": presence.order})
    try:
        TABLE.put({**row_of(presence)}, condition=newer)
    except ConditionFailed:
        return False
    return True


def row_of(presence: Presence) -> ConnectionRow:
    """Return the row of a machine's connection, from its newest presence."""
    row: ConnectionRow = {
        "pk": partition_of(presence.name),
        "sk": NAME,
        "discriminator": DISCRIMINATOR,
        "equipmentId": presence.name,
        "isLost": not presence.is_connected,
        "at": presence.at_ms,
        "order": presence.order,
        "version": presence.version,
        "reportedBy": BROKER,
    }
    return row if presence.reason is None else {**row, "reason": presence.reason}


def connection_changed(change: Change) -> Fact | None:
    """Return the fact that a connection was lost, or is back; the first one that is heard of is neither."""
    old, new = change.old or {}, change.new
    if new is None or new["isLost"] == old.get("isLost", False):
        return None
    # Both may have happened in one millisecond; whoever reads the facts has nothing but their times.
    at_ms = max(new["at"], old.get("at", 0) + 1)
    entity = ConnectionEntity(equipmentId=new["equipmentId"], since=times.to_utc(at_ms))
    if "reason" in new:
        entity["reason"] = new["reason"]
    type_ = CONNECTION_LOST if new["isLost"] else CONNECTION_BACK
    return Fact(type_, at_ms, new["equipmentId"], DISCRIMINATOR, entity, actor=author_in(new))

"""Connection of a machine to the broker: the facts that it was lost, and that it is back.

A machine that was off for no longer than the grace of the broker's queue was never gone: its return is written down
before its absence is heard of, which is then older.
"""

from typing import Final, NotRequired, TypedDict, cast

from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.events.actor import author_in
from andon.events.fact import Change, Fact
from andon.ingress.presence import Presence
from andon.runtime import times
from contract.entities.reports import ConnectionEntity
from services.equipment.tables import TABLE, partition_of

CONNECTION_LOST: Final = "connection-lost"
CONNECTION_BACK: Final = "connection-back"

DISCRIMINATOR: Final = "connection"
BROKER: Final = "broker"
NAME: Final = "Connection"  # sorts behind the times of reports, see `state.py`


class ConnectionRow(TypedDict):
    """The newest that the broker said of a machine's client.

    at: in epoch ms, later than that of the row before, whatever the broker's clocks say. version: see `Presence`.
    """

    pk: str
    sk: str
    discriminator: str
    equipmentId: str
    isLost: bool
    at: int
    version: int
    reportedBy: str
    reason: NotRequired[str]


def keep(presence: Presence) -> bool:
    """Write down a machine's presence; return False if something newer is known."""
    known: ConnectionRow | None = None
    while known is None or presence.is_after(
        at_ms=known["at"], version=known["version"], is_connected=not known["isLost"]
    ):
        try:
            TABLE.put({**row_of(presence, known)}, condition=_still(known))
        except ConditionFailed as failed:
            known = cast("ConnectionRow | None", failed.row)
        else:
            return True
    return False


def row_of(presence: Presence, known: ConnectionRow | None = None) -> ConnectionRow:
    """Return the row of a machine's connection, from its newest presence and the row before."""
    row: ConnectionRow = {
        "pk": partition_of(presence.name),
        "sk": NAME,
        "discriminator": DISCRIMINATOR,
        "equipmentId": presence.name,
        "isLost": not presence.is_connected,
        "at": presence.at_ms if known is None else max(presence.at_ms, known["at"] + 1),
        "version": presence.version,
        "reportedBy": BROKER,
    }
    return row if presence.reason is None else {**row, "reason": presence.reason}


def _still(known: ConnectionRow | None) -> Condition:
    if known is None:
        return Condition("attribute_not_exists(#at)", {"at": "at"}, {})
    return Condition("#at = :at", {"at": "at"}, {"at": known["at"]})


def connection_changed(change: Change) -> Fact | None:
    """Return the fact that a connection was lost, or is back; the first one that is heard of is neither."""
    old, new = change.old or {}, change.new
    if new is None or new["isLost"] == old.get("isLost", False):
        return None
    entity = ConnectionEntity(equipmentId=new["equipmentId"], since=times.to_utc(new["at"]))
    if "reason" in new:
        entity["reason"] = new["reason"]
    type_ = CONNECTION_LOST if new["isLost"] else CONNECTION_BACK
    return Fact(type_, new["at"], new["equipmentId"], DISCRIMINATOR, entity, actor=author_in(new))

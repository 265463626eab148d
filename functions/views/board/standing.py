"""How equipment stands, derived from a row of the board when it is read. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from contract.entities import LocationEntity
from contract.names import NORMAL
from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.ttl import is_alive
from patterns.runtime.errors import NotFound
from views.board.row import SEEN, BoardRow, LastAnomaly, LastAudit, Risk

TROUBLE = {  # member of a response -> its attribute, and the attribute with the time of the log or episode it is about
    "operator": ("Operator", "AssignedTo"),
    "escalatedTo": ("EscalatedTo", "EscalatedLog"),
    "acknowledgedBy": ("AcknowledgedBy", "AcknowledgedLog"),
    "atRisk": ("Risk", "RiskSince"),
}


class Trouble(TypedDict, total=False):
    """What is done about the trouble that equipment is in, see `TROUBLE`."""

    operator: str
    escalatedTo: str
    acknowledgedBy: str
    atRisk: Risk


class EquipmentStanding(Trouble):
    """What a response says of equipment; of equipment that nobody registered yet, name and location are null."""

    equipmentId: str
    name: str | None
    location: LocationEntity | None
    state: str | None
    stateSince: str | None
    silentSince: NotRequired[str]
    lastAudit: NotRequired[LastAudit]
    lastAnomaly: NotRequired[LastAnomaly]


class Standing(NamedTuple):
    """The newest state that was reported, and since when at the latest it lasts.

    trouble: empty while the state is NORMAL. silent_since: the time of the last report, if it has gone silent.
    """

    state: str | None
    since: str | None
    trouble: Trouble
    silent_since: str | None


def standing_of(row: BoardRow) -> Standing:
    """Return how equipment stands.

    `since` is the newest report of any *other* state: the current one began after that; None if there is no other.
    """
    seen = sorted((time, state) for state, time in _reports(row).items())
    last, state = seen[-1] if seen else (None, None)
    since = seen[-2][0] if len(seen) > 1 else None
    return Standing(state, since, _trouble(row, state), _silent_since(row, last))


def to_response(row: BoardRow) -> EquipmentStanding:
    """Return what a response says of a row."""
    standing = standing_of(row)
    members = {
        "equipmentId": row["EquipmentID"],
        "name": row.get("Name"),
        "location": row.get("Place"),
        "state": standing.state,
        "stateSince": standing.since,
    }
    optional = {
        **standing.trouble,
        "silentSince": standing.silent_since,
        "lastAudit": row.get("LastAudit"),
        "lastAnomaly": row.get("LastAnomaly"),
    }
    known = {name: value for name, value in optional.items() if value is not None}
    return cast("EquipmentStanding", {**members, **known})


def require_equipment(row: Item | None, *, now_ms: int) -> BoardRow:
    """Return the row.

    Raises:
        NotFound: there is none, it is a tombstone, or it has expired.

    """
    if row is None or row.get("Deleted") or not is_alive(row, now_ms):
        raise NotFound("Nothing is known of this equipment.")
    return cast("BoardRow", row)


def _reports(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the time of the newest report of each state."""
    return {name.removeprefix(SEEN): time for name, time in row.items() if name.startswith(SEEN)}


def _trouble(row: Mapping[str, Any], state: str | None) -> Trouble:
    """Return what was said of logs and episodes after the last NORMAL; earlier ones were about another trouble."""
    if state in {None, NORMAL}:
        return {}
    normal = _reports(row).get(NORMAL, "")
    trouble = {name: row[what] for name, (what, of_log) in TROUBLE.items() if row.get(of_log, "") > normal}
    return cast("Trouble", trouble)


def _silent_since(row: BoardRow, last: str | None) -> str | None:
    """Return the time of the last report before the silence; None if a newer one was seen, even before `…-back`."""
    silent_since = row.get("SilentSince")
    return None if silent_since is None or silent_since < (last or "") else silent_since

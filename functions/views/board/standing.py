"""Standing of equipment, derived from a row of the board when it is read. Pure."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Annotated, Any, Final, NamedTuple, NotRequired, TypedDict, cast

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.ttl import is_alive
from andon.http.places import ALWAYS
from andon.runtime.errors import NotFound
from andon.runtime.json_types import members_of
from andon.runtime.marks import Named
from contract.entities.calls import OpenCall
from contract.entities.equipment import LocationEntity
from contract.entities.planning import OpenOrder
from contract.names import NORMAL
from views.board.row import (
    CALL,
    KEPT,
    NOBODY,
    SEEN,
    TOLD,
    BoardRow,
    LastAnomaly,
    LastAudit,
    LastCause,
    LatestTelling,
    Risk,
)
from views.board.version import version_of

AT_RISK: Final = "atRisk"
TROUBLE = {  # member of a response -> its attribute, and the attribute with the time of the log or episode it is about
    "operator": ("Operator", "AssignedTo"),
    "escalatedTo": ("EscalatedTo", "EscalatedLog"),
    "acknowledgedBy": ("AcknowledgedBy", "AcknowledgedLog"),
    AT_RISK: ("Risk", "RiskSince"),
}


TIMES_OF_FAMILIES: Final[Mapping[str, Callable[[Any], str]]] = {
    SEEN: str,
    TOLD: itemgetter("at"),
    NOBODY: itemgetter("since"),
}
"""Prefix of attributes -> the time that one of them is of, by its value."""

TIMES: Final[Mapping[str, Callable[[Attributes], str]]] = {
    **{what: itemgetter(log) for what, log in TROUBLE.values()},
    **{name: itemgetter(name) for _, name in TROUBLE.values()},
    **{name: itemgetter(name) for name in ("NobodyTold", "SilentSince", "DisconnectedSince")},
    "LastAudit": lambda row: row["LastAudit"]["timestamp"],
    "LastAnomaly": lambda row: row["LastAnomaly"]["timestamp"],
    "Cause": lambda row: row["Cause"]["startedAt"],
}
"""Attribute -> the time that it is of, by its row."""

OF_PEOPLE: Final = frozenset({"operator", "escalatedTo", "acknowledgedBy", "lastTold"})
"""Members of a response that name somebody; the taker of a call, who comes there, is none of them."""


class Trouble(TypedDict, total=False):
    """Response to the trouble that equipment is in, see `TROUBLE`."""

    operator: str
    escalatedTo: str
    acknowledgedBy: str
    atRisk: Risk


class LastTold(TypedDict):
    """The last message about present trouble; `at`: fixed-width UTC."""

    person: str
    channel: str
    at: str


class EquipmentStanding(Trouble):
    """How a piece of equipment stands; null is unknown yet, a missing member does not apply; times are fixed-width UTC.

    The state began after `stateSince`, the newest report of any other state (null: there was none), and at the latest
    with its own first report. Of that state only the newest report is kept, `stateTimestamp`: the time of the current
    log, by which it is assigned, escalated and acknowledged. `version` grows with every event about the equipment: of
    two responses the one with the greater is newer.

    While the state is not `NORMAL`, `operator`, `escalatedTo` and `acknowledgedBy` are the ids of the people who deal
    with it; `atRisk`, if the trouble comes back often or gets worse. `silentSince` is the newest report of equipment
    that has not reported for too long; `disconnectedSince` is when the broker lost its connection, unless it has
    reported since. `nobodyTold` is since when it needs help that nobody on duty was told of, until somebody has seen
    it.
    `lastTold` is the last message about its trouble, or about a call that is open.
    `lastAnomaly` is about the newest log that was unlike the machine, however long ago. While maintenance is `underWay`
    it is neither silent, disconnected nor at risk; `overdue` is the first order that was not finished on its day.
    `calls` are open, by priority; `lastCause` is that of the newest episode that has one.
    """

    equipmentId: str
    version: int
    name: str | None
    factoryId: str | None
    lineId: str | None
    location: Annotated[LocationEntity, Named("PlaceResponse", is_said=False)] | None
    state: str | None
    stateSince: str | None
    stateTimestamp: str | None
    silentSince: NotRequired[str]
    disconnectedSince: NotRequired[str]
    nobodyTold: NotRequired[str]
    lastTold: NotRequired[LastTold]
    underWay: NotRequired[list[OpenOrder]]
    nextOrder: NotRequired[OpenOrder]
    overdue: NotRequired[OpenOrder]
    calls: NotRequired[list[OpenCall]]
    lastCause: NotRequired[LastCause]
    lastAudit: NotRequired[LastAudit]
    lastAnomaly: NotRequired[LastAnomaly]


class Standing(NamedTuple):
    """The newest state that was reported. It began after `since`, and lasts at least since its report `reported`.

    since: the newest report of any other state. reported: the newest report of this one. Both None: there is none.
    trouble: empty while the state is NORMAL. silent_since: the time of the last report, if it has gone silent. While an
    order is under way it is neither silent, disconnected nor at risk: somebody is there. disconnected_since: from the
    broker, unless it has reported since, by another way.
    """

    state: str | None
    since: str | None
    reported: str | None
    trouble: Trouble
    silent_since: str | None
    disconnected_since: str | None


def standing_of(row: BoardRow) -> Standing:
    """Return the standing of equipment."""
    seen = sorted((time, state) for state, time in _reports(row).items())
    last, state = seen[-1] if seen else (None, None)
    since = seen[-2][0] if len(seen) > 1 else None
    silent = _unless_reported(row, row.get("SilentSince"), last)
    disconnected = _unless_reported(row, row.get("DisconnectedSince"), last)
    return Standing(state, since, last, _trouble(row, state), silent, disconnected)


def to_response(whole: BoardRow) -> EquipmentStanding:
    """Return the response body for a row."""
    row = of_owner(whole)
    standing = standing_of(row)
    members = {
        "equipmentId": row["EquipmentID"],
        "version": version_of(whole),
        "name": None,
        "factoryId": None,
        "lineId": None,
        **KEPT.said_in(row),
        "location": row.get("Place"),
        "state": standing.state,
        "stateSince": standing.since,
        "stateTimestamp": standing.reported,
    }
    optional = {
        **standing.trouble,
        "silentSince": standing.silent_since,
        "disconnectedSince": standing.disconnected_since,
        "nobodyTold": _nobody_told(row, standing),
        "lastTold": _last_told(row, standing),
        "underWay": row.get("UnderWay"),
        "nextOrder": row.get("NextOrder"),
        "overdue": _overdue(row),
        "calls": _calls(row) or None,
        "lastCause": row.get("Cause"),
        "lastAudit": row.get("LastAudit"),
        "lastAnomaly": row.get("LastAnomaly"),
    }
    known = {name: value for name, value in optional.items() if value is not None}
    return cast("EquipmentStanding", {**members, **known})


def of_owner(row: BoardRow) -> BoardRow:
    """Return a row without attributes from before its company's time with the equipment.

    What is open goes with it: orders, and calls without their takers.
    """
    attributes: Attributes = {**row}
    since = row.get("OwnedSince")
    if not since:
        return row
    own = {name: value for name, value in attributes.items() if _time_of(name, attributes) >= since}
    old = {name: call for name, call in own.items() if name.startswith(CALL) and call["raisedAt"] < since}
    untaken = {name: {member: call[member] for member in call.keys() - {"taker"}} for name, call in old.items()}
    return cast("BoardRow", own | untaken)


def _time_of(name: str, row: Attributes) -> str:
    """Return the time (fixed-width UTC) that an attribute is of."""
    for prefix, time_of in TIMES_OF_FAMILIES.items():
        if name.startswith(prefix):
            return time_of(row[name])
    return str(TIMES[name](row)) if name in TIMES else ALWAYS


def without_people(standing: EquipmentStanding) -> EquipmentStanding:
    """Return a response body without the people of the trouble and of its messages."""
    return members_of(EquipmentStanding, {name: value for name, value in standing.items() if name not in OF_PEOPLE})


def require_equipment(row: Item | None, *, now_ms: int) -> BoardRow:
    """Return the row.

    Raises:
        NotFound: there is none, it is a tombstone, or it has expired.

    """
    if row is None or row.get("Deleted") or not is_alive(row, now_ms):
        raise NotFound("Nothing is known of this equipment.")
    return cast("BoardRow", row)


def _reports(row: Attributes) -> dict[str, str]:
    """Return the time of the newest report of each state."""
    return {name.removeprefix(SEEN): time for name, time in row.items() if name.startswith(SEEN)}


def _calls(row: Attributes) -> list[OpenCall]:
    """Return the open calls: by priority, the oldest first."""
    found = [call for name, call in row.items() if name.startswith(CALL)]
    return sorted(found, key=itemgetter("priority", "raisedAt", "id"))


def _trouble(row: Attributes, state: str | None) -> Trouble:
    """Return the members about logs and episodes after the last NORMAL; earlier ones were about another trouble."""
    if state in {None, NORMAL}:
        return {}
    normal, hidden = _reports(row).get(NORMAL, ""), {AT_RISK} if row.get("UnderWay") else set[str]()
    of_log = {name: what for name, (what, log) in TROUBLE.items() if row.get(log, "") > normal and name not in hidden}
    return members_of(Trouble, {name: row[what] for name, what in of_log.items() if what in row})


def _unless_reported(row: BoardRow, since: str | None, last: str | None) -> str | None:
    """Return since when nothing is heard of it; None if a newer report was seen, even before `…-back`."""
    is_over = since is None or since < (last or "")
    return None if is_over or row.get("UnderWay") else since


def _nobody_told(row: BoardRow, standing: Standing) -> str | None:
    """Return since when somebody is needed for whom nobody was on duty; None: it is over, or somebody has seen it."""
    log, normal = row.get("NobodyTold", ""), _reports(row).get(NORMAL, "")
    is_open = standing.state not in {None, NORMAL} and log > normal and "acknowledgedBy" not in standing.trouble
    of_log = [log] if log and (is_open or log == standing.silent_since) else []
    attributes: Attributes = {**row}
    untold = {one["id"] for name, one in attributes.items() if name.startswith(NOBODY)}
    of_calls = [call["raisedAt"] for call in _calls(row) if call["id"] in untold and call["status"] == "raised"]
    return min(of_log + of_calls, default=None)


def _last_told(row: BoardRow, standing: Standing) -> LastTold | None:
    """Return the last message about the trouble that it is in, about its silence, or about a call that is open."""
    attributes: Attributes = {**row}
    normal, open_calls = _reports(row).get(NORMAL, ""), {call["id"] for call in _calls(row)}
    is_trouble = standing.state not in {None, NORMAL}

    def is_of_now(told: LatestTelling) -> bool:
        log = told.get("log", "")
        is_of_log = log != "" and ((is_trouble and log > normal) or log == standing.silent_since)
        return is_of_log or not open_calls.isdisjoint(told["calls"])

    found = [told for name, told in attributes.items() if name.startswith(TOLD) and is_of_now(told)]
    last = max(found, key=itemgetter("at", "person"), default=None)
    return None if last is None else members_of(LastTold, last)


def _overdue(row: BoardRow) -> OpenOrder | None:
    """Return the first order that is overdue: it is still open, and was planned for such a day, or for one before."""
    still = [*(row.get("UnderWay") or ()), *filter(None, [row.get("NextOrder")])]
    late = [order for order in still if order["plannedFor"] <= row.get("OverdueDay", "")]
    return min(late, key=itemgetter("plannedFor"), default=None)

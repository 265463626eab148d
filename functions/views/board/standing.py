"""How equipment stands, derived from a row of the board when it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contract.locations import LEVELS, part
from contract.names import NORMAL
from patterns.errors import Invalid, NotFound
from patterns.key_query import BeginsWith, KeyQuery
from patterns.keys import prefix
from views.board.view import BY_LOCATION, SEEN


@dataclass(frozen=True, slots=True)
class Standing:
    """The newest state seen, since when at the latest it lasts, and whether anybody sees to it."""

    state: str | None
    since: str | None
    operator: str | None


def standing_of(row: Mapping[str, Any]) -> Standing:
    """Derive how equipment stands from the newest report of each state.

    `since` is the newest report of any *other* state: the current one began after that; None if there is no other.
    """
    seen = sorted((time, name.removeprefix(SEEN)) for name, time in row.items() if name.startswith(SEEN))
    state = seen[-1][1] if seen else None
    since = seen[-2][0] if len(seen) > 1 else None
    return Standing(state, since, _operator(row, state))


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says: `{equipmentId, name, location, state, stateSince, operator?, lastAudit?}`.

    Of equipment that nobody registered yet there is no name and no location; they are null.
    """
    standing = standing_of(row)
    told = {
        "equipmentId": row["EquipmentID"],
        "name": row.get("Name"),
        "location": row.get("Place"),
        "state": standing.state,
        "stateSince": standing.since,
    }
    more = {"operator": standing.operator, "lastAudit": row.get("LastAudit")}
    return told | {name: value for name, value in more.items() if value is not None}


def standing_there(row: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Give a row back unless it is none or a tombstone.

    Raises:
        NotFound: it is.

    """
    if row is None or row.get("Deleted"):
        raise NotFound("Nothing is known of this equipment.")
    return row


def equipment_in(company: str, location: str | None) -> KeyQuery:
    """Ask for the equipment of a company, or of a place in it: `MX/JAL` is all of JAL and nothing of JALISCO.

    Raises:
        Invalid: the location has a part that none can have, more levels than there are, or is too long to be a key.

    """
    sort = None if location is None else BeginsWith(_prefix(location))
    return KeyQuery(keys=BY_LOCATION, index="ByLocation", partition=company, sort=sort, forward=True)


def _prefix(location: str) -> str:
    parts = location.split("/")
    if len(parts) > len(LEVELS):
        raise Invalid.field("query.location", f"has more than {len(LEVELS)} levels")
    try:
        return prefix(*map(part, parts))
    except ValueError as error:  # a part that none can have, or more than a key can hold
        raise Invalid.field("query.location", str(error)) from error


def _operator(row: Mapping[str, Any], state: str | None) -> str | None:
    """Name the operator while the state is abnormal, and the log it was assigned for is newer than the last NORMAL."""
    if state in {None, NORMAL} or "Operator" not in row:
        return None
    operator: str = row["Operator"]
    return operator if row["AssignedTo"] > row.get(f"{SEEN}{NORMAL}", "") else None

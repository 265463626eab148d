"""How equipment stands, derived from a row of the board when it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contract.names import NORMAL
from patterns.runtime.errors import NotFound
from views.board.view import SEEN

TROUBLE = {  # what an answer says of it -> the attribute, and the one that tells of which log or episode it was said
    "operator": ("Operator", "AssignedTo"),
    "escalatedTo": ("EscalatedTo", "EscalatedLog"),
    "acknowledgedBy": ("AcknowledgedBy", "AcknowledgedLog"),
    "atRisk": ("Risk", "RiskSince"),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """The newest state seen, and since when at the latest it lasts.

    trouble: what is done about the trouble that equipment is in, see `TROUBLE`; nothing, if it is in none.
    silent_since: the time of its last report, if it has gone silent.
    """

    state: str | None
    since: str | None
    trouble: Mapping[str, Any]
    silent_since: str | None


def standing_of(row: Mapping[str, Any]) -> Standing:
    """Derive how equipment stands from the newest report of each state.

    `since` is the newest report of any *other* state: the current one began after that; None if there is no other.
    """
    seen = sorted((time, name.removeprefix(SEEN)) for name, time in row.items() if name.startswith(SEEN))
    last, state = seen[-1] if seen else (None, None)
    since = seen[-2][0] if len(seen) > 1 else None
    return Standing(state, since, _trouble(row, state), _silent_since(row, last))


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says.

    `{equipmentId, name, location, state, stateSince, operator?, escalatedTo?, acknowledgedBy?, atRisk?, silentSince?,
    lastAudit?}`. Of equipment that nobody registered yet there is no name and no location; they are null.
    """
    standing = standing_of(row)
    told = {
        "equipmentId": row["EquipmentID"],
        "name": row.get("Name"),
        "location": row.get("Place"),
        "state": standing.state,
        "stateSince": standing.since,
    }
    more = {**standing.trouble, "silentSince": standing.silent_since, "lastAudit": row.get("LastAudit")}
    return told | {name: value for name, value in more.items() if value is not None}


def standing_there(row: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Give a row back unless it is none or a tombstone.

    Raises:
        NotFound: it is.

    """
    if row is None or row.get("Deleted"):
        raise NotFound("Nothing is known of this equipment.")
    return row


def _trouble(row: Mapping[str, Any], state: str | None) -> dict[str, Any]:
    """Tell what was said of logs and episodes behind the last NORMAL; before that it was about another trouble."""
    if state in {None, NORMAL}:
        return {}
    normal = row.get(f"{SEEN}{NORMAL}", "")
    return {name: row[what] for name, (what, of_log) in TROUBLE.items() if row.get(of_log, "") > normal}


def _silent_since(row: Mapping[str, Any], last: str | None) -> str | None:
    """Tell the time of the report that was the last one; a newer one may be seen before it is told to be back."""
    silent_since: str | None = row.get("SilentSince")
    return None if silent_since is None or silent_since < (last or "") else silent_since

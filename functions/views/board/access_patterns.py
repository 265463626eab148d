"""The questions that board answers, each as one query of an index."""

from contract.locations import LEVELS, part
from patterns.dynamodb.key_query import BeginsWith, KeyQuery
from patterns.dynamodb.keys import prefix
from patterns.runtime.errors import Invalid
from views.board.view import BY_LOCATION


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

"""The questions that board answers, each as one query of an index, and the rows that it names."""

from andon.dynamodb.schema import KeyQuery, Sort
from andon.runtime import texts
from andon.runtime.errors import Invalid
from contract import locations
from contract.levels import LEVELS
from views.board.view import BY_LOCATION


def equipment_in(company: str, location: str | None) -> KeyQuery:
    """Return the query for the equipment of a company, or of a place in it: `MX/JAL` is all of JAL, not JALISCO.

    Raises:
        Invalid: the location has an invalid part, more levels than there are, or is too long to be a key.

    """
    sort = None if location is None else _within(location)
    return KeyQuery(
        keys=BY_LOCATION, index_name="ByPlace", partition=company, sort=sort, forward=True, has_keys_only=True
    )


def _within(location: str) -> Sort | None:
    try:
        return locations.BY_LOCATION.within(*parts_of(location))
    except ValueError as error:  # more than a key can hold
        raise Invalid.field("query.location", str(error)) from error


def parts_of(location: str | None) -> tuple[str, ...]:
    """Return the parts of a place's path, from the country down; none are the whole company.

    Raises:
        Invalid: a part is invalid, or there are more than levels.

    """
    parts = [] if location is None else location.split("/")
    if len(parts) > len(LEVELS):
        raise Invalid.field("query.location", f"has more than {len(LEVELS)} levels")
    try:
        return tuple(map(texts.part, parts))
    except ValueError as error:
        raise Invalid.field("query.location", str(error)) from error

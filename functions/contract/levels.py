"""Levels of a location: the seven that equipment has as fields, and how a request says a list of them."""

from collections.abc import Mapping, Sequence
from typing import Final

COMPANY: Final = "company"
LEVELS = ("country", "region", "state", "county", "city", "neighborhood")
FIELDS: Final = (COMPANY, *LEVELS)

NOT_SAID: Final = "-"
"""Value of one of the seven fields that a list of levels lacks."""

MAX_LEVELS: Final = 16
MAX_OTHER_LEVELS: Final = MAX_LEVELS - len(FIELDS)
"""Levels besides the seven, so that those that an edit of the other version adds fit, too."""


def place(name: str) -> str:
    """Return the name of a place that is said.

    Raises:
        ValueError: it is that of none.

    """
    if name == NOT_SAID:
        raise ValueError(f"must not be {NOT_SAID}: leave the level out")
    return name


def location(levels: Sequence[Mapping[str, str]]) -> Sequence[Mapping[str, str]]:
    """Return the levels of a location.

    Raises:
        ValueError: they are none.

    """
    said = [one["level"] for one in levels]
    if len(set(said)) < len(said):
        raise ValueError("must name each level once")
    if COMPANY not in said:
        raise ValueError(f"must have a level {COMPANY}")
    if len(set(said) - set(FIELDS)) > MAX_OTHER_LEVELS:
        raise ValueError(f"must have at most {MAX_OTHER_LEVELS} levels besides {', '.join(FIELDS)}")
    return levels

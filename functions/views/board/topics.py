"""The topics of board: a company, and within it the levels of a location. Pure."""

from typing import Final

from andon.live import connection
from contract.entities.equipment import LocationEntity
from contract.levels import LEVELS

PATH: Final = ("company", *LEVELS)


def path_of(place: LocationEntity) -> tuple[str, ...]:
    """Return the path on which messages about equipment at a place are pushed."""
    return (
        place["company"],
        place["country"],
        place["region"],
        place["state"],
        place["county"],
        place["city"],
        place["neighborhood"],
    )


def filter_of(root: str, company: str, location: tuple[str, ...]) -> str:
    """Return the filter of a company, or of a place in it, given from the country down."""
    return connection.filter_of(root, (company, *location), levels=len(PATH))

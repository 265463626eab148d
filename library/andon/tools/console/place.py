"""Where a person is in the console, and where a key leads. Pure."""

from dataclasses import dataclass, replace
from enum import Enum, auto


class Deed(Enum):
    """What a key asks for, beside another place."""

    QUIT = auto()
    RESUBMIT = auto()


@dataclass(frozen=True, slots=True)
class Place:
    """Whether faults are shown, which of them is chosen, and what was said last."""

    shows_faults: bool = False
    chosen: int = 0
    said: str = ""


def pressed(place: Place, key: str, *, faults: int) -> tuple[Place, Deed | None]:
    """Return where a key leads, and what it asks for; `faults` is how many are listed."""
    match key:
        case "q":
            return place, Deed.QUIT
        case "f":
            return Place(shows_faults=not place.shows_faults), None
        case "up" | "down" if place.shows_faults and faults:
            step = 1 if key == "down" else -1
            return replace(place, chosen=min(max(0, place.chosen + step), faults - 1), said=""), None
        case "r" if place.shows_faults and faults:
            return place, Deed.RESUBMIT
    return place, None

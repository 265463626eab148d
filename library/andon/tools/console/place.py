"""The console's state, and its next state after a key. Pure."""

from dataclasses import dataclass, replace
from enum import Enum, auto


class Deed(Enum):
    """The action of a key, beside a new state."""

    QUIT = auto()
    RESUBMIT = auto()


@dataclass(frozen=True, slots=True)
class ConsoleState:
    """The open view, the chosen fault and the last message of the console."""

    shows_faults: bool = False
    chosen: int = 0
    said: str = ""


def pressed(place: ConsoleState, key: str, *, faults: int) -> tuple[ConsoleState, Deed | None]:
    """Return the state after a key, and its action; `faults` is the number of listed faults."""
    match key:
        case "q":
            return place, Deed.QUIT
        case "f":
            return ConsoleState(shows_faults=not place.shows_faults), None
        case "up" | "down" if place.shows_faults and faults:
            step = 1 if key == "down" else -1
            return replace(place, chosen=min(max(0, place.chosen + step), faults - 1), said=""), None
        case "r" if place.shows_faults and faults:
            return place, Deed.RESUBMIT
    return place, None

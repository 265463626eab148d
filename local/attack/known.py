"""What is known to break, and why; whoever mends it deletes its line here, or the run fails."""

from typing import Final

TYPES: Final = "a view keeps what an event says, of whatever type it is"

KNOWN: Final[dict[str, str]] = {
    "poison: a time far ahead: the board does not show what the machine says now": "a time on the bus is believed",
    "reads: a time far ahead: GET /equipment/{id}/episodes: 500": "times that follow from it have 14 digits",
    "reads: an unknown member: GET /equipment/{id}/episodes: 500": "an event is taken to have one entity",
    "reads: a member of another type: GET /equipment/{id}/episodes: 200 with a body that is not as documented": TYPES,
    "reads: a member of another type: GET /equipment/{id}/logs: 200 with a body that is not as documented": TYPES,
    "poison: a member 250 deep: a dead letter, not a fault": "the depth of an event has no bound",
}

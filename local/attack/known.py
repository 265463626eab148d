"""What is known to break, and why; whoever mends it deletes its line here, or the run fails."""

from typing import Final

TEXTS: Final = "bodies, paths and events have no common definition of an identifier and of a text"

KNOWN: Final[dict[str, str]] = {
    "answers: every answer: without nosniff": "no answer says it",
    "roles: a device that speaks of another machine: let in": "a device may report for any machine",
    "tokens: an ID token in place of an access token: 200, not 401 or 403": "nobody asks for what use a token is",
    "tokens: a group that looks like admin: 200, not 401 or 403": "all brackets around groups are taken off",
    "inputs: a content type in capitals: 500": "the router compares the header as it is spelt",
    "inputs: a parameter more than once: 500": "the router hands a list to what reads a text",
    "inputs: a member of many integers: more than 6 MB": "each element is a problem, without a bound",
    "inputs: a text that is blank: not refused": TEXTS,
    "inputs: a text with control characters: not refused": TEXTS,
    "inputs: a text with invisible characters: not refused": TEXTS,
    "inputs: a text with non-characters: not refused": TEXTS,
    "inputs: a list of names that is blank: not refused": TEXTS,
    "inputs: an identifier that is . or ..: not refused": TEXTS,
    "inputs: an identifier that is blank: not refused": TEXTS,
    "inputs: an identifier that is not normalised: kept as it is": TEXTS,
    "inputs: an identifier with ? or %: not refused": TEXTS,
    "inputs: an identifier with spaces at its ends: kept as it is": TEXTS,
    "poison: a time far ahead: the board does not show what the machine says now": "a time on the bus is believed",
    "reads: a time far ahead: GET /equipment/{id}/episodes: 500": "times that follow from it have 14 digits",
    "reads: an unknown member: GET /equipment/{id}/episodes: 500": "an event is taken to have one entity",
    "reads: a member of another type: GET /equipment/{id}/episodes: 200 with a body that is not as documented": TEXTS,
    "reads: a member of another type: GET /equipment/{id}/logs: 200 with a body that is not as documented": TEXTS,
    "poison: a member 250 deep: a dead letter, not a fault": "the depth of an event has no bound",
}

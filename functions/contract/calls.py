"""Facts about calls, as services and views read them. `CALL_FACTS` are all of a call, in the order of its life."""

from typing import TYPE_CHECKING, Final

from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic

if TYPE_CHECKING:  # whoever is told of calls declares none
    from contract.entities.calls import CallStatus, OpenCall

SOURCE: Final = "calls"

RAISED: Final = "call-raised"
TAKEN: Final = "call-taken"
CLOSED: Final = "call-closed"
REJECTED: Final = "call-rejected"
CALL_FACTS: "Final[dict[CallStatus, str]]" = {"raised": RAISED, "taken": TAKEN, "closed": CLOSED, "rejected": REJECTED}

CAUSE_RECORDED: Final = "cause-recorded"
CATALOG_SET: Final = "catalog-set"

TOPICS: Final[tuple[Topic, ...]] = tuple((SOURCE, event_type) for event_type in CALL_FACTS.values())

SEEN: Final = frozenset({TAKEN, CLOSED, REJECTED})
"""Facts of a call that somebody has seen."""

OPEN: "Final[frozenset[CallStatus]]" = frozenset({"raised", "taken"})

KEPT_DAYS: Final = 33
"""A call is kept for so many days after its end, a cause after the beginning of its trouble."""


def call_in(event: DomainEvent) -> Entity:
    """Return the call of a fact.

    Raises:
        Poison: there is none.

    """
    return event.entity("call")


def open_call(call: Entity) -> "OpenCall | None":
    """Return a call as views say it; None: it has ended.

    Raises:
        Poison: it does not say what it is.

    """
    status = call.text("status")
    if status not in OPEN:
        return None
    made: OpenCall = {
        "id": call.text("id"),
        "version": call.whole_number("version"),
        "category": call.text("category"),
        "priority": call.whole_number("priority"),
        "status": status,
        "raisedAt": call.text("raisedAt"),
    }
    if taker := call.optional_text("taker"):
        made["taker"] = taker
    return made

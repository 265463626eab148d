"""Facts about calls, as services and views read them. `CALL_FACTS` are all of a call, in the order of its life."""

from typing import TYPE_CHECKING, Final

from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic

if TYPE_CHECKING:  # whoever is told of calls declares none
    from contract.entities.calls import CallStatus

SOURCE: Final = "calls"

RAISED: Final = "call-raised"
TAKEN: Final = "call-taken"
CLOSED: Final = "call-closed"
REJECTED: Final = "call-rejected"
CALL_FACTS: "Final[dict[CallStatus, str]]" = {"raised": RAISED, "taken": TAKEN, "closed": CLOSED, "rejected": REJECTED}

CAUSE_RECORDED: Final = "cause-recorded"
CATALOG_SET: Final = "catalog-set"

TOPICS: Final[tuple[Topic, ...]] = tuple((SOURCE, event_type) for event_type in CALL_FACTS.values())

ATTENDED: Final = frozenset({TAKEN, CLOSED, REJECTED})
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

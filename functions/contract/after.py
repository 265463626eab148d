"""The tokens that commands answer and views take: which fields of an entity stand in them."""

from typing import Any, Final

from andon.events.domain_event import DomainEvent
from andon.events.fact import Meaning
from andon.events.written import NamesOf, Written

LOG: Final = ("equipmentId", "state", "timestamp")

# What tells an entity from others, and who. Not all that it says: names, notes and details are too long for a header.
NAMES: Final[NamesOf] = {
    "equipment": ("id",),
    "machine": ("id",),
    "state": LOG,
    "audit": ("equipmentId", "part", "revision"),
    "assignment": (*LOG, "operator"),
    "crew": (*LOG, "lead"),
    "escalation": (*LOG, "supervisor"),
    "acknowledgement": (*LOG, "acknowledgedBy"),
    "call": ("id", "version", "equipmentId", "category", "priority", "status", "raisedAt"),
    "cause": ("equipmentId", "startedAt", "cause"),
    "order": ("equipmentId", "date", "kind", "version", "factoryId", "plannedFor"),
}


def of_row(row: Any, fact_of: Meaning, *, source: str) -> str:  # noqa: ANN401  typed by its package
    """Return the token of a row that a command wrote, by the row's fact.

    Raises:
        ValueError: it publishes nothing of it.

    """
    return Written.of_row(row, fact_of, NAMES, source=source).to_token()


def of_event(event: DomainEvent, entity_name: str) -> str:
    """Return the token of an event that a command published itself."""
    return Written.of_event(event, entity_name, NAMES[entity_name]).to_token()

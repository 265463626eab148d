"""dispatch2's crews -> dispatch's assignments."""

from typing import cast

from andon.dynamodb.attribute_values import Item
from andon.events.domain_event import DomainEvent
from andon.rules.rule import WHY
from andon.runtime import times
from andon.sync.crossing import Content, Crossing
from andon.versions.versioned_write import Versions
from contract import names
from contract.entities import CrewEntity
from services.dispatch.mapping import from_theirs
from services.dispatch.responsibility import ASSIGNMENT, ttl_of
from services.dispatch.tables import TABLE

CREW_ASSIGNED = ("dispatch2", "crew-assigned")


def crew_in(event: DomainEvent) -> CrewEntity:
    """Return the crew that an event says.

    Raises:
        Poison, ValueError: it says none.

    """
    crew = event.entity("crew")
    said = {
        "equipmentId": crew.text("equipmentId"),
        "state": names.state(crew.text("state")),
        "timestamp": times.require_known(crew.text("timestamp"), at_ms=event.timestamp_ms),
        "lead": crew.text("lead"),
        "members": crew.get("members"),
    }
    return cast("CrewEntity", said | {name: crew.get(name) for name in WHY if name in crew.fields})


def _versions_of(event: DomainEvent) -> Versions:
    return Versions(table=TABLE, key=ASSIGNMENT.key_of(from_theirs(crew_in(event))))


def _content(event: DomainEvent, upon: Item | None) -> Content:  # noqa: ARG001  a crew says all that an assignment does
    assigned = from_theirs(crew_in(event))
    why = {name: assigned.get(name) for name in WHY}
    content = ASSIGNMENT.content_of(assigned, assigned["operator"]) | why
    return Content(content=content, attributes=ASSIGNMENT.attributes_of(ttl_of(assigned)))


CROSSING = Crossing(own="dispatch", theirs="dispatch2", versions_of=_versions_of, from_theirs=_content)

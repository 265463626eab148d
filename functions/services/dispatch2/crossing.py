"""dispatch's assignments -> dispatch2's crews."""

from typing import cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.rules.rule import WHY
from andon.runtime import times
from andon.sync.crossing import Content, Crossing
from andon.versions.versioned_write import Versions
from contract import logs, names
from contract.entities import AssignmentEntity
from services.dispatch2 import crew
from services.dispatch2.mapping import from_theirs
from services.dispatch2.tables import TABLE


def assignment_in(event: DomainEvent) -> AssignmentEntity:
    """Return the assignment that an event says.

    Raises:
        Poison, ValueError: it says none.

    """
    assignment = event.entity("assignment")
    said = {
        "equipmentId": assignment.text("equipmentId"),
        "state": names.state(assignment.text("state")),
        "timestamp": times.require_known(assignment.text("timestamp"), at_ms=event.timestamp_ms),
        "operator": assignment.text("operator"),
    }
    return cast("AssignmentEntity", said | {name: assignment.get(name) for name in WHY if name in assignment.fields})


def _versions_of(event: DomainEvent) -> Versions:
    return Versions(table=TABLE, key=crew.key_of(assignment_in(event)))


def _content(event: DomainEvent, upon: Item | None) -> Content:
    assigned = from_theirs(assignment_in(event), None if upon is None else crew.to_entity(upon))
    ttl = ttl_at(times.to_ms(assigned["timestamp"]), logs.TTL_DAYS)
    return Content(content=dict.fromkeys(WHY) | crew.content_of(assigned), attributes=crew.attributes_of(ttl))


CROSSING = Crossing(own="dispatch2", theirs="dispatch", versions_of=_versions_of, from_theirs=_content)

"""dispatch2's crews -> dispatch's assignments."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.sync.crossing import EditedRow, row_crossing
from contract.entities.logs import AssignmentEntity, CrewEntity
from contract.log_rows import log_in
from services.dispatch.mapping import from_theirs
from services.dispatch.responsibility import ASSIGNMENT

CREW_ASSIGNED = ("dispatch2", "crew-assigned")


def crew_in(event: DomainEvent) -> CrewEntity:
    """Return the crew of an event.

    Raises:
        Poison, ValueError: there is none.

    """
    crew = event.entity("crew")
    return {**log_in(event, crew), "lead": crew.text("lead"), "members": crew.get("members")}


def _content_of(assigned: AssignmentEntity, _: int) -> EditedRow:
    content = ASSIGNMENT.content_of(assigned, assigned["operator"])
    return EditedRow(content=content, attributes=ASSIGNMENT.attributes_of(assigned))


CROSSING: Final = row_crossing(
    own="dispatch",
    theirs="dispatch2",
    entity_in=crew_in,
    from_theirs=lambda crew, _: from_theirs(crew),  # a crew says all that an assignment does
    versions_of=ASSIGNMENT.versions_of,
    content_of=_content_of,
)

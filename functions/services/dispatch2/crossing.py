"""dispatch's assignments -> dispatch2's crews."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.sync.crossing import EditedRow, row_crossing
from contract.entities.logs import AssignmentEntity, CrewEntity
from contract.log_rows import log_in
from services.dispatch2 import crew
from services.dispatch2.mapping import from_theirs


def assignment_in(event: DomainEvent) -> AssignmentEntity:
    """Return the assignment of an event.

    Raises:
        Poison, ValueError: there is none.

    """
    assignment = event.entity("assignment")
    return {**log_in(event, assignment), "operator": assignment.text("operator")}


def _content_of(assigned: CrewEntity, _: int) -> EditedRow:
    return EditedRow(content=crew.content_of(assigned, assigned), attributes=crew.attributes_of(assigned))


CROSSING: Final = row_crossing(
    own="dispatch2",
    theirs="dispatch",
    entity_in=assignment_in,
    from_theirs=from_theirs,
    versions_of=crew.versions_of,
    content_of=_content_of,
)

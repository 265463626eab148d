"""Assignments of dispatch as crews. Pure.

| crew | assignment |
|---|---|
| `lead` | `operator` |
| `members`; kept when the lead changes there | none |
| `equipmentId`, `state`, `timestamp`, and `by`, `rule`, `triggers` of a rule's decision | the same |
"""

from typing import TypedDict

from contract import log_rows
from contract.entities.logs import AssignmentEntity, CrewEntity


class Manned(TypedDict):
    """A crew, as an entity or as a row, by its other members alone."""

    members: list[str]


def from_theirs(assignment: AssignmentEntity, upon: Manned | None) -> CrewEntity:
    """Return an assignment as a crew; upon: the crew that it changes; its other members stay."""
    lead = assignment["operator"]
    # A member who becomes the lead is no member any more.
    members = [member for member in (upon["members"] if upon else []) if member != lead]
    return {**log_rows.about(assignment), "lead": lead, "members": members}

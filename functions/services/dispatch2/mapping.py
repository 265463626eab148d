"""Crews and the assignments of dispatch, in each other's words. Pure.

| crew | assignment |
|---|---|
| `lead` | `operator` |
| `members`; kept when the lead changes there | none |
| `equipmentId`, `state`, `timestamp`, and `by`, `rule`, `triggers` of a rule's decision | the same |
"""

from typing import cast

from andon.rules.rule import WHY
from contract.entities import AssignmentEntity, CrewEntity


def to_theirs(crew: CrewEntity) -> AssignmentEntity:
    """Return a crew as an assignment."""
    return cast("AssignmentEntity", {**_log_and_why(crew), "operator": crew["lead"]})


def from_theirs(assignment: AssignmentEntity, upon: CrewEntity | None) -> CrewEntity:
    """Return an assignment as a crew; upon: the crew that it changes, whose other members stay."""
    lead = assignment["operator"]
    # A member who becomes the lead is no member any more.
    members = [member for member in (upon["members"] if upon else []) if member != lead]
    return cast("CrewEntity", {**_log_and_why(assignment), "lead": lead, "members": members})


def _log_and_why(entity: AssignmentEntity | CrewEntity) -> dict[str, object]:
    said = cast("dict[str, object]", entity)
    return {name: said[name] for name in ("equipmentId", "state", "timestamp", *WHY) if name in said}

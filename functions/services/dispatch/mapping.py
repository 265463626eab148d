"""Crews of dispatch2 as assignments. Pure.

| assignment | crew |
|---|---|
| `operator` | `lead` |
| none | `members`; dispatch2 keeps them |
| `equipmentId`, `state`, `timestamp`, and `by`, `rule`, `triggers` of a rule's decision | the same |
"""

from contract import log_rows
from contract.entities.logs import AssignmentEntity, CrewEntity


def from_theirs(crew: CrewEntity) -> AssignmentEntity:
    """Return a crew as an assignment."""
    return {**log_rows.about(crew), "operator": crew["lead"]}

"""Assignments and the crews of dispatch2, in each other's words. Pure.

| assignment | crew |
|---|---|
| `operator` | `lead` |
| none | `members`; dispatch2 keeps them |
| `equipmentId`, `state`, `timestamp`, and `by`, `rule`, `triggers` of a rule's decision | the same |
"""

from typing import cast

from andon.rules.rule import WHY
from contract.entities import AssignmentEntity, CrewEntity


def to_theirs(assignment: AssignmentEntity) -> CrewEntity:
    """Return an assignment as a crew: its lead alone."""
    return cast("CrewEntity", {**_log_and_why(assignment), "lead": assignment["operator"], "members": []})


def from_theirs(crew: CrewEntity) -> AssignmentEntity:
    """Return a crew as an assignment."""
    return cast("AssignmentEntity", {**_log_and_why(crew), "operator": crew["lead"]})


def _log_and_why(entity: AssignmentEntity | CrewEntity) -> dict[str, object]:
    said = cast("dict[str, object]", entity)
    return {name: said[name] for name in ("equipmentId", "state", "timestamp", *WHY) if name in said}

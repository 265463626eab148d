"""The factory, as the library has to know it."""

from pathlib import Path
from typing import Final

from andon.project import Actors, Groups, Project, Size
from contract import groups

EQUIPMENT: Final = Actors(
    name="equipment",
    one="equipment",
    keeps_days=10 * 365,
    cold_after_days=30,
    lists="Return all that happened to a piece of equipment between two times, whatever expired; oldest first.",
    field="equipmentId",
    example="press-7",
    described="Chosen by the client.",
)

# For a year and a month, no longer: it is about people.
OPERATORS: Final = Actors(
    name="operators",
    one="operator",
    keeps_days=400,
    cold_after_days=90,
    lists="Return all that was about an operator, a supervisor or a member of a crew between two times; oldest first.",
    fields=("operator", "supervisor", "lead", "members"),
    parameter="operator",
    example="Liz",
)

PROJECT: Final = Project(
    name="Andon",
    title="Andon: which machine needs help",
    root=Path(__file__).parent.parent,
    groups=Groups(
        all=groups.ALL,
        admin=groups.ADMIN,
        reviewers=groups.AUDITORS,
        reporting=frozenset({groups.DEVICE}),
    ),
    subjects=EQUIPMENT,
    actors=(OPERATORS,),
    brings_back=(
        "Bring back what expired of a piece of equipment: logs, reports, and the story of its episodes; for 33 days."
    ),
    sizes={"services/anomalies/trigger": Size(1024, 60)},  # holds a model, as its sweep does
    demo="demo.demo",
)

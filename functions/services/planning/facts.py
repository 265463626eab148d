"""The facts that planning publishes: what its rules decide."""

from andon.events.fact import Facts
from services.planning.rules import overdue

FACTS = Facts(
    source="planning",
    types=frozenset({overdue.EQUIPMENT_OVERDUE}),
    of={overdue.EQUIPMENT_OVERDUE: overdue.equipment_overdue},
)

"""The facts of planning's decisions."""

from andon.events.fact import Facts
from contract.entities.planning import OverdueEntity, UpkeepEntity
from services.planning.decided import MAINTENANCE_OVERDUE, UPKEEP_CHANGED, maintenance_overdue, upkeep_changed

FACTS = Facts(
    source="planning",
    types=frozenset({MAINTENANCE_OVERDUE, UPKEEP_CHANGED}),
    of={MAINTENANCE_OVERDUE: maintenance_overdue, UPKEEP_CHANGED: upkeep_changed},
    entities={MAINTENANCE_OVERDUE: OverdueEntity, UPKEEP_CHANGED: UpkeepEntity},
)

"""The facts that watch publishes: what its rules decide."""

from andon.events.fact import Facts
from contract.entities.inspection import InspectionEntity
from services.watch.resources import INSPECTION
from services.watch.rules import overdue, restless

FACTS = Facts(
    source="watch",
    types=frozenset(
        {
            restless.THING_RESTLESS,
            # <others>
            overdue.THING_OVERDUE,
            INSPECTION.fact,
            # </others>
        }
    ),
    of={
        restless.THING_RESTLESS: restless.thing_restless,
        # <others>
        overdue.THING_OVERDUE: overdue.thing_overdue,
        INSPECTION.kind: INSPECTION.fact_of,
        # </others>
    },
    entities={
        restless.THING_RESTLESS: restless.RestlessEntity,
        # <others>
        overdue.THING_OVERDUE: overdue.OverdueEntity,
        INSPECTION.fact: InspectionEntity,
        # </others>
    },
)

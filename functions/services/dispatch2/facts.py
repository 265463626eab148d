"""The facts that dispatch2 publishes of its rows."""

from andon.events.fact import Facts
from contract.entities.logs import CrewEntity
from services.dispatch2 import crew

FACTS = Facts(
    source="dispatch2",
    types=frozenset({crew.CREW_ASSIGNED}),
    of={crew.DISCRIMINATOR: crew.fact_of},
    entities={crew.CREW_ASSIGNED: CrewEntity},
)

"""The facts that people publishes: the factory behind an id, and that somebody was erased. No name ever leaves it."""

from andon.events.fact import Facts
from contract.entities.people import PersonEntity, PlacementEntity
from contract.people import PERSON_PLACED
from services.people import erasure, placement

FACTS = Facts(
    source="people",
    types=frozenset({erasure.PERSON_ERASED, PERSON_PLACED}),
    of={erasure.DISCRIMINATOR: erasure.fact_of, placement.DISCRIMINATOR: placement.fact_of},
    entities={erasure.PERSON_ERASED: PersonEntity, PERSON_PLACED: PlacementEntity},
)

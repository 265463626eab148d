"""The fact that people publishes: somebody was erased. Nothing else about people ever leaves it."""

from andon.events.fact import Facts
from contract.entities import PersonEntity
from services.people import erasure

FACTS = Facts(
    source="people",
    types=frozenset({erasure.PERSON_ERASED}),
    of={erasure.DISCRIMINATOR: erasure.fact_of},
    entities={erasure.PERSON_ERASED: PersonEntity},
)

"""The facts that calls publishes of its rows."""

from andon.events.fact import Facts
from contract.calls import CALL_FACTS, CATALOG_SET, CAUSE_RECORDED, SOURCE
from contract.entities.calls import CallEntity, CatalogEntity, CauseEntity
from services.calls import call, catalog, cause

FACTS = Facts(
    source=SOURCE,
    types=frozenset({*CALL_FACTS.values(), CAUSE_RECORDED, CATALOG_SET}),
    of={
        call.DISCRIMINATOR: call.fact_of,
        cause.DISCRIMINATOR: cause.fact_of,
        catalog.DISCRIMINATOR: catalog.fact_of,
    },
    entities={
        **dict.fromkeys(CALL_FACTS.values(), CallEntity),
        CAUSE_RECORDED: CauseEntity,
        CATALOG_SET: CatalogEntity,
    },
)

"""The facts that calls publishes of its rows."""

from andon.versions.declared import facts_of
from contract.calls import CALL_FACTS, CAUSE_RECORDED, SOURCE
from contract.entities.calls import CallEntity, CauseEntity
from services.calls import call, cause
from services.calls.catalog import CATALOGS

FACTS = facts_of(
    SOURCE,
    CATALOGS,
    of={call.DISCRIMINATOR: call.fact_of, cause.DISCRIMINATOR: cause.fact_of},
    entities={**dict.fromkeys(CALL_FACTS.values(), CallEntity), CAUSE_RECORDED: CauseEntity},
)

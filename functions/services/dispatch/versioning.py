"""Versioning of the rows of dispatch."""

from typing import Final

from andon.versions.aggregate import (
    CURRENT_ONLY,
    DECISION,
    WRITTEN_ONCE,
    Aggregate,
    Aggregates,
    Frequency,
    Identity,
    Speed,
)
from services.dispatch import acknowledgement, chains, roster
from services.dispatch.alert import ALERTS
from services.dispatch.fact_types import TROUBLE_ENDED
from services.dispatch.help import FACTS_OF
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION

RESPONSIBILITY: Final = Aggregate(
    CURRENT_ONLY, Identity.COMPOSED, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW, expires=True
)

OF_FACTORY: Final = Aggregate(
    CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW
)

AGGREGATES: Final[Aggregates] = {
    **{kind.discriminator: RESPONSIBILITY for kind in (ASSIGNMENT, ESCALATION)},
    acknowledgement.DISCRIMINATOR: Aggregate(
        WRITTEN_ONCE, Identity.COMPOSED, revised=Frequency.NEVER, read=Frequency.SELDOM, speed=Speed.SLOW, expires=True
    ),
    **dict.fromkeys((roster.DISCRIMINATOR, chains.DISCRIMINATOR), OF_FACTORY),
    **{alert.type: DECISION for alert in ALERTS},
    **dict.fromkeys((*FACTS_OF, TROUBLE_ENDED), DECISION),
}

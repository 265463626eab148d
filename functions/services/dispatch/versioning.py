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
    aggregates_of,
)
from services.dispatch import acknowledgement
from services.dispatch.alert import ALERTS
from services.dispatch.chains import CHAINS
from services.dispatch.fact_types import TROUBLE_ENDED
from services.dispatch.help import FACTS_OF
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION
from services.dispatch.roster import ROSTERS

RESPONSIBILITY: Final = Aggregate(
    CURRENT_ONLY, Identity.COMPOSED, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW, expires=True
)

AGGREGATES: Final[Aggregates] = {
    **{kind.discriminator: RESPONSIBILITY for kind in (ASSIGNMENT, ESCALATION)},
    acknowledgement.DISCRIMINATOR: Aggregate(
        WRITTEN_ONCE, Identity.COMPOSED, revised=Frequency.NEVER, read=Frequency.SELDOM, speed=Speed.SLOW, expires=True
    ),
    **aggregates_of(ROSTERS, CHAINS),
    **{alert.type: DECISION for alert in ALERTS},
    **dict.fromkeys((*FACTS_OF, TROUBLE_ENDED), DECISION),
}

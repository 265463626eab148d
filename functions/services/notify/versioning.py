"""Versioning of the rows of notify."""

from typing import Final

from andon.outbound.delivery import DELIVERY
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
from services.notify.contacts_table import CONTACT
from services.notify.message import FACTS_OF
from services.notify.rules.undelivered import UNDELIVERED
from services.notify.telling import OF_EQUIPMENT

OF_SENDER: Final = Aggregate(
    CURRENT_ONLY, Identity.COMPOSED, revised=Frequency.OFTEN, read=Frequency.SELDOM, speed=Speed.SLOW, expires=True
)

OF_TELLING: Final = Aggregate(
    WRITTEN_ONCE, Identity.COMPOSED, revised=Frequency.NEVER, read=Frequency.SELDOM, speed=Speed.SLOW, expires=True
)

AGGREGATES: Final[Aggregates] = {
    **dict.fromkeys((*FACTS_OF, UNDELIVERED), DECISION),
    DELIVERY: OF_SENDER,
    CONTACT: Aggregate(CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW),
    OF_EQUIPMENT: OF_TELLING,
}

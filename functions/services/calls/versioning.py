"""Versioning of the rows of calls: each change leaves as a fact, and the row says all of its life."""

from typing import Final

from andon.versions.aggregate import CURRENT_ONLY, Aggregate, Aggregates, Frequency, Identity, Speed
from services.calls import call, catalog, cause

AGGREGATES: Final[Aggregates] = {
    call.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY,
        Identity.GIVEN,
        revised=Frequency.OFTEN,
        read=Frequency.OFTEN,
        speed=Speed.SLOW,
        expires="endedAt",
        fixed=frozenset({"equipmentId"}),
    ),
    cause.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.COMPOSED, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW, expires=True
    ),
    catalog.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW
    ),
}

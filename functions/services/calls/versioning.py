"""Versioning of the rows of calls: each change leaves as a fact, and the row says all of its life."""

from typing import Final

from andon.versions.aggregate import CURRENT_ONLY, Aggregate, Aggregates, Frequency, Identity, Speed, aggregates_of
from services.calls import call, cause
from services.calls.catalog import CATALOGS

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
    **aggregates_of(CATALOGS),
}

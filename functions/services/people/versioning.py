"""Versioning of the rows of people: of a name no earlier version is kept, so that an erasure leaves none."""

from typing import Final

from andon.versions.aggregate import (
    CURRENT_ONLY,
    WRITTEN_ONCE,
    Aggregate,
    Aggregates,
    Frequency,
    Identity,
    Speed,
)
from services.people import erasure, placement

PERSON: Final = "person"
"""Their rows have no discriminator: nothing of them is published."""

AGGREGATES: Final[Aggregates] = {
    PERSON: Aggregate(CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW),
    placement.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.SELDOM, speed=Speed.SLOW
    ),
    erasure.DISCRIMINATOR: Aggregate(
        WRITTEN_ONCE, Identity.GIVEN, revised=Frequency.NEVER, read=Frequency.SELDOM, speed=Speed.SLOW
    ),
}

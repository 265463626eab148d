"""How what things keeps is versioned."""

from typing import Final

from andon.versions.aggregate import CURRENT_ONLY, Aggregate, Aggregates, Frequency, Identity, Speed
from services.things import thing

AGGREGATES: Final[Aggregates] = {
    thing.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW
    )
}

"""Versioning of the rows of dispatch2."""

from typing import Final

from andon.versions.aggregate import CURRENT_ONLY, Aggregate, Aggregates, Frequency, Identity, Speed
from services.dispatch2 import crew

AGGREGATES: Final[Aggregates] = {
    crew.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.COMPOSED, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW, expires=True
    )
}

"""How what maintenance keeps is versioned: an order's id says the day until which it may be taken."""

from typing import Final

from andon.versions.aggregate import SEQUENTIAL, Aggregate, Aggregates, Frequency, Identity, Speed, Tolerance
from services.maintenance import order

AGGREGATES: Final[Aggregates] = {
    order.DISCRIMINATOR: Aggregate(
        SEQUENTIAL,
        Identity.COMPOSED,
        revised=Frequency.OFTEN,
        read=Frequency.SELDOM,
        speed=Speed.SLOW,
        tolerates=Tolerance.ORPHANS,
        expires=True,
        open_until="date",
    ),
}

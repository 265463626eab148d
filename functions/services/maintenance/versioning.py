"""Versioning of the rows of maintenance: an order's id says the day until which it may be taken.

The id of an attachment is a digest of what is in it. Readings lose nothing by a gap, and nobody who measures should
wait, or read first. Instructions are changed as people learn at a machine, and nobody waits for what they said before.
"""

from typing import Final

from andon.versions.aggregate import (
    COUNTER,
    SEQUENTIAL,
    WRITTEN_ONCE,
    Aggregate,
    Aggregates,
    Frequency,
    Identity,
    Speed,
    Tolerance,
    aggregates_of,
)
from services.maintenance import attachment, order, readings
from services.maintenance.instructions import INSTRUCTIONS

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
    readings.DISCRIMINATOR: Aggregate(
        COUNTER,
        Identity.COMPOSED,
        revised=Frequency.OFTEN,
        read=Frequency.SELDOM,
        speed=Speed.FAST,
        tolerates=Tolerance.GAPS,
        expires=True,
        lives_with=order.DISCRIMINATOR,
    ),
    **aggregates_of(INSTRUCTIONS),
    attachment.DISCRIMINATOR: Aggregate(
        WRITTEN_ONCE,
        Identity.CONTENT,
        revised=Frequency.NEVER,
        read=Frequency.SELDOM,
        speed=Speed.SLOW,
        expires=True,
    ),
}

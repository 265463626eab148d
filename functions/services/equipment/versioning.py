"""Versioning of the rows of equipment."""

from typing import Final

from andon.versions.aggregate import (
    CURRENT_ONLY,
    TIME_BASED,
    Aggregate,
    Aggregates,
    Frequency,
    Identity,
    Speed,
    aggregates_of,
)
from services.equipment import connection, state
from services.equipment.audit import AUDITS
from services.equipment.metadata import EQUIPMENT

AGGREGATES: Final[Aggregates] = {
    **aggregates_of(EQUIPMENT, AUDITS),
    connection.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.GIVEN, revised=Frequency.OFTEN, read=Frequency.SELDOM, speed=Speed.SLOW
    ),
    state.DISCRIMINATOR: Aggregate(
        TIME_BASED, Identity.TIME, revised=Frequency.OFTEN, read=Frequency.OFTEN, speed=Speed.FAST, expires=True
    ),
}

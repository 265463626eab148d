"""Versioning of the rows of equipment."""

from typing import Final

from andon.versions.aggregate import (
    CURRENT_ONLY,
    NUMBERED,
    TIME_BASED,
    Aggregate,
    Aggregates,
    Frequency,
    Identity,
    Speed,
    of_resource,
)
from services.equipment import audit, connection, metadata, state

AGGREGATES: Final[Aggregates] = {
    **of_resource(metadata.EQUIPMENT, revised=Frequency.SELDOM, read=Frequency.OFTEN),
    audit.DISCRIMINATOR: Aggregate(
        NUMBERED, Identity.COMPOSED, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW
    ),
    connection.DISCRIMINATOR: Aggregate(
        CURRENT_ONLY, Identity.GIVEN, revised=Frequency.OFTEN, read=Frequency.SELDOM, speed=Speed.SLOW
    ),
    state.DISCRIMINATOR: Aggregate(
        TIME_BASED, Identity.TIME, revised=Frequency.OFTEN, read=Frequency.OFTEN, speed=Speed.FAST, expires=True
    ),
}

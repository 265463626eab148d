"""Readings, each with a time of its own; facts, tables and versioning follow from this.

| table | pk | sk | row |
|---|---|---|---|
| readings | the id of the device | the time, fixed-width UTC | what was said of it |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.timed_resource import TimedResource
from contract.entities.readings import Reading, ReadingEntity

KEYS: Final = Keys("deviceId", "timestamp", one_partition_per="entity")
TTL_DAYS: Final = 90

READINGS: Final[TimedResource[ReadingEntity]] = TimedResource(
    service="readings",
    kind="reading",
    content=Reading,
    entity=ReadingEntity,
    id=("deviceId", "timestamp"),
    table=Table("READINGS_TABLE", KEYS),
    key_of=KEYS.of,
    fact="reading-recorded",
    days=TTL_DAYS,
    missing="Nothing is recorded of this device and time.",
)

RESOURCES: Final = (READINGS,)

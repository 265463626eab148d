"""Things, each with a time of its own; facts, tables and versioning follow from this.

| table | pk | sk | row |
|---|---|---|---|
| things | the id of the device | the time, fixed-width UTC | what was said of it |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.timed_resource import TimedResource
from contract.entities.things import Thing, ThingEntity

KEYS: Final = Keys("deviceId", "timestamp", one_partition_per="entity")
TTL_DAYS: Final = 90

THINGS: Final[TimedResource[ThingEntity]] = TimedResource(
    service="things",
    kind="thing",
    content=Thing,
    entity=ThingEntity,
    id=("deviceId", "timestamp"),
    table=Table("THINGS_TABLE", KEYS),
    key_of=KEYS.of,
    fact="thing-recorded",
    days=TTL_DAYS,
    missing="Nothing is recorded of this device and time.",
)

RESOURCES: Final = (THINGS,)

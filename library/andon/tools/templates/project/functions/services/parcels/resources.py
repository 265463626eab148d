"""Records of parcels: each estimate by its own time."""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.timed_resource import TimedResource
from contract.entities.estimate import Estimate, EstimateEntity

ESTIMATE_KEYS: Final = Keys("about", "timestamp", one_partition_per="entity")
ESTIMATE_DAYS: Final = 90

ESTIMATE: Final[TimedResource[EstimateEntity]] = TimedResource(
    service="parcels",
    kind="estimate",
    content=Estimate,
    entity=EstimateEntity,
    id=("about", "timestamp"),
    table=Table("PARCELS_ESTIMATE_TABLE", ESTIMATE_KEYS),
    key_of=ESTIMATE_KEYS.of,
    fact="estimate-recorded",
    days=ESTIMATE_DAYS,
    missing="There is no estimate of this parcel and time.",
)

RESOURCES: Final = (ESTIMATE,)

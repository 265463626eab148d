"""Records of things: each inspection by its own time."""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.timed_resource import TimedResource
from contract.entities.inspection import Inspection, InspectionEntity

INSPECTION_KEYS: Final = Keys("about", "timestamp", one_partition_per="entity")
INSPECTION_DAYS: Final = 90

INSPECTION: Final[TimedResource[InspectionEntity]] = TimedResource(
    service="things",
    kind="inspection",
    content=Inspection,
    entity=InspectionEntity,
    id=("about", "timestamp"),
    table=Table("THINGS_INSPECTION_TABLE", INSPECTION_KEYS),
    key_of=INSPECTION_KEYS.of,
    fact="inspection-recorded",
    days=INSPECTION_DAYS,
    missing="There is no inspection of this thing and time.",
)

RESOURCES: Final = (INSPECTION,)

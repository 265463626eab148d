# <inspection>
"""What is recorded of watch: the inspection of each, its current version alone."""

from typing import Final

from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.inspection import Inspection, InspectionEntity
from services.watch.tables import TABLE


class InspectionRow(Inspection, VersionedRow):
    """The row of one, its id aside."""


INSPECTION: Final[CurrentResource[InspectionRow, InspectionEntity]] = CurrentResource(
    service="watch",
    kind="inspection",
    content=Inspection,
    entity=InspectionEntity,
    id=("about",),
    table=TABLE,
    key_of=lambda thing_id: TABLE.keys.of(f"Inspection#{thing_id}", "inspection"),
    fact="inspection-recorded",
    missing="There is no inspection of this thing.",
)

RESOURCES: Final = (INSPECTION,)
# </inspection>

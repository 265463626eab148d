"""Work instructions: the steps of a kind of maintenance of a machine.

They are numbered from the stream: whoever changes them names the version, the current ones are right at once, and the
trigger keeps each version a moment later. That is enough: people work by the current ones, and who looks up what was
said before does so days later.
"""

from typing import Final, NotRequired

from andon.versions.numbered_resource import FromStream
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.instructions import Instructions, InstructionsEntity, InstructionsKey
from services.maintenance.tables import TABLE, partition_of


class InstructionsRow(Instructions, InstructionsKey, VersionedRow):
    """The current instructions, or a revision, its key aside; `latest`: on the current ones, their number."""

    latest: NotRequired[int]


INSTRUCTIONS: Final[FromStream[InstructionsRow, InstructionsEntity]] = FromStream(
    service="maintenance",
    kind="instructions",
    content=Instructions,
    entity=InstructionsEntity,
    id=("equipmentId", "kind"),
    table=TABLE,
    partition_of=partition_of,
    name="Instructions",
    fact="instructions-changed",
    missing="There are no such instructions.",
    revised="often",
    read="seldom",
)

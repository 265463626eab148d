"""Things, of which the current version alone is kept.

Facts, tables and versioning follow from this.

| table | pk | row |
|---|---|---|
| things | the id | what each is now |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.things import Thing, ThingEntity

KEYS: Final = Keys("id", one_partition_per="entity")


class ThingRow(Thing, VersionedRow):
    """The row of one, its id aside."""


THINGS: Final[CurrentResource[ThingRow, ThingEntity]] = CurrentResource(
    service="things",
    kind="thing",
    content=Thing,
    entity=ThingEntity,
    table=Table("THINGS_TABLE", KEYS),
    key_of=KEYS.of,
    fact="thing-moved",
    missing="There is no such thing.",
    # <unique>
    unique={"number": lambda number: KEYS.of(f"Number#{number}")},
    # </unique>
)

RESOURCES: Final = (THINGS,)

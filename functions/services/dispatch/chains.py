"""The chains of a factory: whom to ask for help, after how many minutes."""

from typing import Final, Literal

from andon.versions.current_resource import CurrentResource
from andon.versions.optimistic_lock import VersionedRow
from contract.entities.duty import ChainsEntity
from services.dispatch.fact_types import CHAIN_SET, SOURCE
from services.dispatch.tables import KEYS, TABLE, factory_partition_of


class ChainsRow(ChainsEntity, VersionedRow):
    """The row of a factory's chains, its primary key aside."""

    discriminator: Literal["chains"]


CHAINS: "Final[CurrentResource[ChainsRow, ChainsEntity]]" = CurrentResource(
    service=SOURCE,
    kind="chains",
    content=ChainsEntity,
    entity=ChainsEntity,
    id=("factoryId",),
    counted_as="",
    table=TABLE,
    key_of=lambda factory_id: KEYS.of(factory_partition_of(factory_id), "chains"),
    fact=CHAIN_SET,
    missing="This factory has no chains.",
)

"""The chains of a factory: whom to ask for help, after how many minutes."""

from collections.abc import Sequence
from typing import Final, Literal

from andon.events.fact import fact_of_row
from andon.runtime.json_types import members_of
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from contract.entities.duty import ChainsEntity
from services.dispatch.fact_types import CHAIN_SET
from services.dispatch.tables import KEYS, TABLE, factory_partition_of

DISCRIMINATOR: Final = "chains"


class ChainsRow(ChainsEntity, VersionedRow):
    """The row of a factory's chains, its primary key aside."""

    discriminator: Literal["chains"]


def key_of(factory_id: str) -> dict[str, str | int]:
    """Return the primary key of a factory's chains."""
    return KEYS.of(factory_partition_of(factory_id), DISCRIMINATOR)


def versions_of(factory_id: str) -> Versions[ChainsRow]:
    """Return the place of a factory's chains."""
    return Versions(table=TABLE, key=key_of(factory_id))


def write(factory_id: str, chains: Sequence[object], command: Command) -> Draft:
    """Decide the chains of a factory."""
    return Draft(
        content={"factoryId": factory_id, "chains": list(chains)},
        attributes={"discriminator": DISCRIMINATOR},
        command=command,
    )


def to_response(row: ChainsRow) -> ChainsEntity:
    """Return a row for a response or for the event."""
    return members_of(ChainsEntity, row)


fact_of: Final = fact_of_row(CHAIN_SET, DISCRIMINATOR, partition="factoryId", entity_of=to_response)

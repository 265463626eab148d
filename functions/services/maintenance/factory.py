"""The factory that a machine is in: maintenance's own projection, as little as an order needs."""

from andon.runtime.errors import NotFound
from contract import factories
from services.maintenance.tables import KEYS, TABLE, partition_of

UNKNOWN = "This equipment is not registered."


def factory_of(equipment_id: str) -> str:
    """Read the factory of a machine.

    Raises:
        NotFound: it is not registered, or maintenance has not heard of it yet.

    """
    factory_id = factories.factory_of(TABLE.get(factories.key_of(KEYS, partition_of(equipment_id))))
    if factory_id is None:
        raise NotFound(UNKNOWN)
    return factory_id

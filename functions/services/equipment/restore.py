"""what comes back from the archive -> equipment table."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from services.equipment.restored import ON, UPCASTERS
from services.equipment.tables import TABLE

VIEW = Listener(name="equipment", table=TABLE, on={}, ttl_days=None, upcasters=UPCASTERS, restores=ON)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of replayed messages."""
    return materialize(event, context, listener=VIEW)

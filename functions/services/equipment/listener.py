"""edits of equipment2 -> equipment tables."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from services.equipment.subscriptions import ON
from services.equipment.tables import TABLE

VIEW = Listener(name="equipment", table=TABLE, on=ON, ttl_days=None, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, listener=VIEW)

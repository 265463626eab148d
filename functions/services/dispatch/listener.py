"""domain events -> dispatch table: its micro event store, and where equipment is."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from services.dispatch.subscriptions import ON, UPCASTERS
from services.dispatch.tables import TABLE

VIEW = Listener(name="dispatch", table=TABLE, on=ON, ttl_days=None, upcasters=UPCASTERS, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, listener=VIEW)

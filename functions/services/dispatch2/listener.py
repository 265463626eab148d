"""domain events -> dispatch2 table: what was assigned on the other side."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from services.dispatch2.subscriptions import ON
from services.dispatch2.tables import TABLE

VIEW = Listener(name="dispatch2", table=TABLE, on=ON, ttl_days=None, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, listener=VIEW)

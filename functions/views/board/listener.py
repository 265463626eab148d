"""domain events -> board view."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from views.board.view import ON, TABLE, TTL_DAYS, UPCASTERS

VIEW = Listener(name="board", table=TABLE, on=ON, ttl_days=TTL_DAYS, upcasters=UPCASTERS)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the view's queue."""
    return materialize(event, context, listener=VIEW)

"""what comes back from the archive -> dispatch table: its micro event store."""

from typing import Any

from andon.runtime.message_batch import BatchResponse
from andon.views.materialize import Listener, materialize
from services.dispatch.restored import ON
from services.dispatch.subscriptions import UPCASTERS
from services.dispatch.tables import TABLE

VIEW = Listener(name="dispatch", table=TABLE, on={}, ttl_days=None, upcasters=UPCASTERS, restores=ON)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of replayed messages."""
    return materialize(event, context, listener=VIEW)

"""domain events -> dispatch table: its micro event store, and where equipment is."""

from typing import Any

from andon.views.materialize import View, materialize
from services.dispatch.subscriptions import ON, UPCASTERS
from services.dispatch.tables import TABLE

VIEW = View(name="dispatch", table=TABLE, on=ON, ttl_days=None, upcasters=UPCASTERS, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, view=VIEW)

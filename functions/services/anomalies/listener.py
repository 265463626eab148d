"""domain events -> anomalies table: its micro event store."""

from typing import Any

from andon.views.materialize import View, materialize
from services.anomalies.subscriptions import ON, UPCASTERS
from services.anomalies.tables import TABLE

VIEW = View(name="anomalies", table=TABLE, on=ON, ttl_days=None, upcasters=UPCASTERS, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, view=VIEW)

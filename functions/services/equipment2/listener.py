"""edits of equipment -> equipment2 tables."""

from typing import Any

from andon.views.materialize import View, materialize
from services.equipment2.subscriptions import ON
from services.equipment2.tables import TABLE

VIEW = View(name="equipment2", table=TABLE, on=ON, ttl_days=None, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, view=VIEW)

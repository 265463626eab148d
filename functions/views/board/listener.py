"""domain events -> board view."""

from typing import Any

from andon.views.materialize import View, materialize
from views.board.view import ON, TABLE, TTL_DAYS, UPCASTERS

VIEW = View(name="board", table=TABLE, on=ON, ttl_days=TTL_DAYS, upcasters=UPCASTERS)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of the view's queue."""
    return materialize(event, context, view=VIEW)

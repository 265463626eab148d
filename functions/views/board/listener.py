"""domain events -> board view."""

from typing import Any

from patterns.dynamodb.client import Table
from patterns.views.materialize import View, materialize
from views.board.view import KEYS, ON, TTL_DAYS, UPCASTERS

VIEW = View(name="board", table=Table("BOARD_TABLE", KEYS), on=ON, ttl_days=TTL_DAYS, upcasters=UPCASTERS)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of the view's queue."""
    return materialize(event, context, view=VIEW)

"""what comes back from the archive -> equipment table."""

from typing import Any

from andon.views.materialize import View, materialize
from services.equipment.restored import ON, UPCASTERS
from services.equipment.tables import TABLE

VIEW = View(name="equipment", table=TABLE, on={}, ttl_days=None, upcasters=UPCASTERS, restores=ON)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  Lambda's context
    """Handle a batch of replayed messages."""
    return materialize(event, context, view=VIEW)

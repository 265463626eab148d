"""schedule -> decisions upon what has become due."""

from typing import Any

from patterns.rules.sweep import sweep
from services.dispatch.control import CONTROL


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401, ARG001  a schedule's event says nothing
    """Handle a tick of the clock."""
    sweep(context, control=CONTROL)

"""schedule -> decisions upon what has become due."""

from typing import Any

from andon.rules.sweep import shards_in, sweep
from services.dispatch.control import CONTROL


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a tick of the clock."""
    sweep(context, control=CONTROL, shards=shards_in(event))

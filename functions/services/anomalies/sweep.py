"""schedule -> anomalies among what has become due, by the current model."""

from typing import Any

from andon.rules.sweep import shards_in, sweep
from andon.runtime import clock
from services.anomalies.control import CONTROL, MODELS


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a tick of the clock."""
    MODELS.refresh(now_ms=clock.now_ms())
    sweep(context, control=CONTROL, shards=shards_in(event))

"""anomalies table -> domain events, and when something unusual that was stored in it is due, by the current model."""

from typing import Any

from andon.rules.control import brings_events, control_changes
from andon.runtime import clock
from services.anomalies.control import CONTROL, MODELS
from services.anomalies.facts import FACTS


def handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
    """Handle a batch of the table's stream."""
    if brings_events(event["Records"]):
        MODELS.refresh_each_minute(now_ms=clock.now_ms())
    control_changes(event, context, facts=FACTS, control=CONTROL)

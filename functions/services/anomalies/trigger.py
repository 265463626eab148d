"""anomalies table -> domain events, and when something unusual that was stored in it is due, by the current model."""

from andon.rules.control import brings_events, control_changes
from andon.runtime import clock
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from services.anomalies.control import CONTROL, MODELS
from services.anomalies.facts import FACTS


def handler(event: JsonObject, context: LambdaContext) -> BatchResponse:
    """Handle a batch of the table's stream."""
    if brings_events(event["Records"]):
        MODELS.refresh_each_minute(now_ms=clock.now_ms())
    return control_changes(event, context, facts=FACTS, control=CONTROL)

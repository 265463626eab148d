"""schedule -> anomalies among due rows, by the current model."""

from andon.rules.sweep import shards_in, sweep
from andon.runtime import clock
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from services.anomalies.control import CONTROL, MODELS


def handler(event: JsonObject, context: LambdaContext) -> None:
    """Handle a tick of the clock."""
    MODELS.refresh(now_ms=clock.now_ms())
    sweep(context, control=CONTROL, shards=shards_in(event))

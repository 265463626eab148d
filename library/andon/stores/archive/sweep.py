"""lake -> archive: an hourly schedule writes the days that are not as the lake is."""

from andon.runtime import clock
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.stores.archive.sweep_days import compact_stale_days


def handler(event: JsonObject, context: LambdaContext) -> None:  # noqa: ARG001  a schedule's event says nothing
    """Handle a tick of the clock."""
    compact_stale_days(context, now_ms=clock.now_ms())

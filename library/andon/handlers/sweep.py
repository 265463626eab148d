"""schedule -> decisions upon due rows."""

from andon.handlers.declared import Handler, load, of_environment
from andon.rules.sweep import shards_in, sweep
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext


def handler_of(package: str) -> Handler:
    """Return the sweep of a control service: it handles a tick of the clock."""
    control = load(package, "control").CONTROL

    def handle(event: JsonObject, context: LambdaContext) -> None:
        sweep(context, control=control, shards=shards_in(event))

    return handle


handler = of_environment(handler_of)

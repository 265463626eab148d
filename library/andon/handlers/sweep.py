"""schedule -> decisions upon what has become due."""

from typing import Any

from andon.handlers.declared import Handler, load, of_environment
from andon.rules.sweep import shards_in, sweep


def handler_of(package: str) -> Handler:
    """Return the sweep of a control service: it handles a tick of the clock."""
    control = load(package, "control").CONTROL

    def handle(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401  Lambda's context
        sweep(context, control=control, shards=shards_in(event))

    return handle


handler = of_environment(handler_of)

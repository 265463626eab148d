"""a view's table -> screens."""

from andon.handlers.declared import Handler, load, name_of, of_environment
from andon.live.connection import root
from andon.live.push import push_changes
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext


def handler_of(package: str) -> Handler:
    """Return the push of a view: it handles a batch of the table's stream."""
    source, messages_of = name_of(package), load(package, "changes").messages_of

    def handle(event: JsonObject, context: LambdaContext) -> None:
        push_changes(event, context, source=source, root=root(), messages_of=messages_of)

    return handle


handler = of_environment(handler_of)

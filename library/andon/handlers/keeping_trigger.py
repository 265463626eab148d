"""a table with versions from the stream -> their revisions, then the table's own trigger."""

from functools import partial
from importlib import import_module

from andon.events.fact import Facts
from andon.handlers.declared import ROOM, Handler, has, load, of_environment, publishing_trigger
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.versions.aggregate import FROM_STREAM
from andon.versions.from_stream import keep_revisions
from andon.versions.versioned_write import KeptRevisions
from andon.wire.deadline import in_time


def handler_of(package: str) -> Handler:
    """Return the trigger of a service with an aggregate FROM_STREAM: it handles a batch of the table's stream."""
    publishing = import_module(f"{ROOM}.{publishing_trigger(partial(has, package))}").handler_of(package)
    kept = load(package, "revisions").REVISIONS
    aggregates = load(package, "versioning").AGGREGATES
    revisions = {kind: kept[kind] for kind, one in aggregates.items() if one.design is FROM_STREAM}
    return partial(keep_then_publish, facts=load(package, "facts").FACTS, revisions=revisions, publishing=publishing)


@in_time
def keep_then_publish(
    event: JsonObject, context: LambdaContext, *, facts: Facts, revisions: KeptRevisions, publishing: Handler
) -> BatchResponse:
    """Keep the revisions of a batch, then publish its facts, so that readers find them; poison is a fault once.

    Raises:
        CallFailed: DynamoDB did not keep a revision. The batch must come again.
        NotPublished: see `publish_changes`.

    """
    readable = keep_revisions(event["Records"], revisions, source=facts.source)
    response: BatchResponse = publishing({**event, "Records": readable}, context)
    return response


handler = of_environment(handler_of)

"""a table with versions from the stream -> their revisions, then the table's own trigger."""

from collections.abc import Iterable
from functools import partial
from importlib import import_module

from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.client import Table
from andon.events.change_data_capture import StreamRecord, kind_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.fault import fault_of
from andon.events.latch import is_latched
from andon.events.publish import publish
from andon.handlers.declared import ROOM, Handler, has, load, of_environment, publishing_trigger
from andon.runtime import clock, strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.runtime.tried import Failed, tried
from andon.versions.aggregate import FROM_STREAM
from andon.versions.numbered_versions import keep_revision
from andon.versions.versioned_write import KeptRevisions
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

# Records of a table's stream -> revisions that are numbered from the stream, see `numbered_versions.save_current`.
#
# A record that comes again, be it behind later ones, finds its revision kept. So order and doubles do not matter, and
# what a batch could not do before it broke off is done by the next one.


def keep_revisions(records: Iterable[StreamRecord], revisions: KeptRevisions, *, source: str) -> list[StreamRecord]:
    """Keep the revision of each current row of a batch; one that cannot be kept becomes a fault of `source`.

    Return the records without those that nobody can read: a fault of these is published, and is all that they are.
    A latched row is passed over: whoever brings one back writes its revision, too, and an erased one was kept before.

    Raises:
        CallFailed: DynamoDB did not write one of them. The others were written.
        NotPublished: a fault could not be published.

    """
    batch = [*records]
    made = {
        number: tried(_revision_in, record, revisions)  # pure: it would fail in the same way for ever
        for number, record in enumerate(batch)
        if _is_current(record, revisions)
    }
    kept = in_parallel([partial(_keep, one) for one in made.values()])
    errors = {number: error for number, error in zip(made, kept, strict=True) if error is not None}
    publish([_fault(error, batch[number], source) for number, error in errors.items()], source=source)
    return [record for number, record in enumerate(batch) if not isinstance(made.get(number), Failed)]


def _is_current(record: StreamRecord, revisions: KeptRevisions) -> bool:
    image = record["dynamodb"].get("NewImage")
    return kind_of(image) in revisions and not is_latched(image)


def _keep(made: tuple[Table, Item] | Failed) -> Exception | None:
    """Keep a revision, or return why it cannot be."""
    return made.error if isinstance(made, Failed) else _poison_in(*made)


def _fault(error: Exception, record: StreamRecord, source: str) -> DomainEvent:
    return fault_of(error, strict_json.dumps(record), consumer=f"{source}.trigger", now_ms=clock.now_ms())


def _revision_in(record: StreamRecord, revisions: KeptRevisions) -> tuple[Table, Item]:
    row = to_plain(record["dynamodb"]["NewImage"])
    return revisions[row["discriminator"]](row)


def _poison_in(table: Table, row: Item) -> Poison | None:
    try:
        keep_revision(table, row)
    except Poison as poison:
        return poison
    return None


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

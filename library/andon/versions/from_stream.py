"""Records of a table's stream -> revisions of what is numbered from the stream, see `numbered_versions.save_current`.

A record that comes again, be it behind later ones, finds its revision kept. So order and doubles do not matter, and
what a batch could not do before it broke off is done by the next one.
"""

from collections.abc import Iterable
from functools import partial

from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.client import Table
from andon.events.change_data_capture import StreamRecord, kind_of
from andon.events.domain_event import DomainEvent
from andon.events.fault import fault_of
from andon.events.latch import is_latched
from andon.events.publish import publish
from andon.runtime import clock, strict_json
from andon.runtime.errors import Poison
from andon.runtime.tried import Failed, tried
from andon.versions.numbered_versions import keep_revision
from andon.versions.versioned_write import KeptRevisions
from andon.wire.in_parallel import in_parallel


def keep_revisions(records: Iterable[StreamRecord], revisions: KeptRevisions, *, source: str) -> None:
    """Keep the revision of each current row of a batch; one that cannot be kept becomes a fault of `source`.

    A latched row is passed over: whoever brings one back writes its revision, too, and an erased one was kept before.

    Raises:
        CallFailed: DynamoDB did not write one of them. The others were written.
        NotPublished: a fault could not be published.

    """
    current = [record for record in records if _is_current(record, revisions)]
    kept = in_parallel([partial(_keep, record, revisions, source) for record in current])
    publish([fault for fault in kept if fault is not None], source=source)


def _is_current(record: StreamRecord, revisions: KeptRevisions) -> bool:
    image = record["dynamodb"].get("NewImage")
    return kind_of(image) in revisions and not is_latched(image)


def _keep(record: StreamRecord, revisions: KeptRevisions, source: str) -> DomainEvent | None:
    """Keep the revision of a record, or return the fault that it is."""
    made = tried(_revision_in, record, revisions)  # pure: it would fail in the same way for ever
    error = made.error if isinstance(made, Failed) else _poison_in(*made)
    if error is None:
        return None
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

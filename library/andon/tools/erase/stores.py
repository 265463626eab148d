"""Stores that an erasure goes through: objects, the lake, queues of dead letters."""

import gzip
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from andon.cdk.names import DEAD_LETTERS, SWEPT_BUCKETS, pascal
from andon.packages.discovery import packages
from andon.packages.package import Package
from andon.project import People
from andon.recorded import lake
from andon.recorded.archive import data_folder, index_folder, manifest_key
from andon.recorded.lake import DAY
from andon.stores.archive.store import KINDS
from andon.stores.faults.store import IDS
from andon.tools.erase import rows
from andon.tools.erase.mentions import Mentions, ids_in
from andon.tools.erase.rows import SweepCounts, SweptTable
from andon.tools.listings import GZIPPED, keys_in, rows_of, unpacked_body
from andon.tools.ops.redrive import BATCH
from andon.tools.stack.errors import ToolFailed
from andon.versions.aggregate import Identity

# All stores of a stack that may have a mention of a person, and a pass over them.


# Mentions of a person in dead-letter queues, where nobody changes a message: it is redriven, or removed.

_HIDDEN_SECONDS: Final = 60  # so long each message is out of sight, so that others come


def count(sqs: Any, url: str, mentions: Mentions) -> SweepCounts:  # noqa: ANN401  boto3's
    """Count the mentions in the messages of a queue, and put them back."""
    counted, receipts = SweepCounts(), dict[str, str]()
    while messages := _receive(sqs, url):
        seen_before = receipts.keys() & {message["MessageId"] for message in messages}
        for message in messages:
            if message["MessageId"] not in receipts:
                replaced = mentions.replaced(message["Body"], document=True)
                counted.add(replaced.found, replaced.kept)
            receipts[message["MessageId"]] = message["ReceiptHandle"]
        if seen_before:
            break
    for receipt in receipts.values():
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt, VisibilityTimeout=0)
    return counted


def _receive(sqs: Any, url: str) -> list[dict[str, str]]:  # noqa: ANN401  boto3's
    # It waits: without that SQS asks some of its servers only, and may answer that there is nothing.
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
    answer = sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=BATCH, VisibilityTimeout=_HIDDEN_SECONDS, WaitTimeSeconds=1
    )
    found: list[dict[str, str]] = answer.get("Messages", [])
    return found


# Objects of a bucket without mentions of a person: JSON, other text, or either of them gzipped.
#
# An object that is named by what it says gets another name with its other words: faults and findings. The object that
# has a mention goes last, so that whoever comes after a crash finds again what is to be done.

CHANGED: Final = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
GONE: Final = "NoSuchKey"
SUFFIX: Final = ".json"


class Erased(NamedTuple):
    """An object as it is left; digests: what those in it became."""

    body: bytes
    found: int
    kept: int
    digests: Mapping[str, str]


class StoredObject(NamedTuple):
    """An object as it was read."""

    key: str
    etag: str
    body: bytes


class SweptBucket(NamedTuple):
    """A bucket and the client that reaches it."""

    s3: Any
    name: str

    def keys(self, prefix: str = "") -> Iterator[str]:
        """List the keys, all that there are when it begins."""
        yield from [*keys_in(self.s3, self.name, prefix)]

    def read(self, key: str) -> StoredObject | None:
        """Read an object; None if it has gone."""
        try:
            answer = self.s3.get_object(Bucket=self.name, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] != GONE:
                raise
            return None
        return StoredObject(key, answer["ETag"], answer["Body"].read())

    def replace(self, found: StoredObject, body: bytes) -> None:
        """Write other bytes under the same key, and keep what the object says of itself.

        Raises:
            ToolFailed: somebody else has written it since.

        """
        try:
            self.put(found.key, body, IfMatch=found.etag)
        except ClientError as error:
            if error.response["Error"]["Code"] not in CHANGED:
                raise
            raise ToolFailed(f"somebody else wrote {found.key} at the same time; run it again") from error

    def put(self, key: str, body: bytes, **condition: str) -> None:
        """Write an object."""
        kind = "application/json" if key.endswith(SUFFIX) else "application/octet-stream"
        self.s3.put_object(Bucket=self.name, Key=key, Body=body, ContentType=kind, **condition)

    def remove(self, key: str) -> None:
        """Delete an object."""
        self.s3.delete_object(Bucket=self.name, Key=key)


Write = Callable[[SweptBucket, StoredObject, Erased], None]


def sweep(bucket: SweptBucket, mentions: Mentions, *, write: Write, dry_run: bool, prefix: str = "") -> SweepCounts:
    """Erase the mentions in the objects of a bucket; count them as they were found."""
    counted = SweepCounts()
    for key in bucket.keys(prefix):
        found = bucket.read(key)
        if found is None:
            continue
        erased = _erased_object(found.body, mentions)
        counted.add(erased.found, erased.kept)
        if erased.found and not dry_run:
            write(bucket, found, erased)
    return counted


def _in_place(bucket: SweptBucket, found: StoredObject, erased: Erased) -> None:
    """Replace an object under its key."""
    bucket.replace(found, erased.body)


def _under_other_name(bucket: SweptBucket, found: StoredObject, erased: Erased) -> None:
    """Write an object under the id that it has now, and a fault's claim beside it; then delete those of before."""
    renamed = [(old, new) for old, new in erased.digests.items() if old in found.key]
    if not renamed:
        _in_place(bucket, found, erased)
        return
    [(old, new)] = renamed
    before, after = (f"{IDS}/{id_}{SUFFIX}" for id_ in (old, new))
    claim = bucket.read(before)
    if claim:
        bucket.put(after, claim.body)
    bucket.put(found.key.replace(old, new), erased.body)
    if claim:
        bucket.remove(before)
    bucket.remove(found.key)


def _erased_object(body: bytes, mentions: Mentions) -> Erased:
    """Return an object without mentions. Pure; one that has none is the same, byte by byte."""
    is_packed = body.startswith(GZIPPED)
    text = unpacked_body(body).decode(errors="surrogateescape")
    # Each line for itself: of NDJSON it is a document.
    lines = [rows.erased(line, mentions) for line in text.split("\n")]
    found, kept = sum(line.found for line in lines), sum(line.kept for line in lines)
    if not found:
        return Erased(body, 0, kept, {})
    left = "\n".join(line.text for line in lines).encode(errors="surrogateescape")
    digests = {old: new for line in lines for old, new in line.digests.items()}
    return Erased(gzip.compress(left, mtime=0) if is_packed else left, found, kept, digests)


# The lake and the archive without mentions of a person: the lake's objects under their keys, the archive's days gone.
#
# The archive is a copy by day: it is written again, from the lake, by its own sweep. It goes before the lake's object
# is replaced, or it would be the last one to have the name.


def _sweep_lake(bucket: SweptBucket, archive: SweptBucket, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
    """Erase the mentions in the lake, and the days of the archive that were made of them."""

    def write(_: SweptBucket, found: StoredObject, erased: Erased) -> None:
        if lake.OBJECT.fullmatch(found.key):
            _remove_day(archive, lake.hour_in(found.key)[:10])
        _in_place(bucket, found, erased)

    return sweep(bucket, mentions, write=write, dry_run=dry_run)


def _sweep_archive(bucket: SweptBucket, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
    """Remove the days in which there is a mention still, and erase those in its jobs.

    A day that was being written while the lake was swept has the lake's objects as they were.
    """

    def write(_: SweptBucket, found: StoredObject, erased: Erased) -> None:
        if f"/{DAY}" in found.key:
            _remove_day(bucket, found.key.partition(f"/{DAY}")[2][:10])
        else:
            _in_place(bucket, found, erased)

    return sweep(bucket, mentions, write=write, dry_run=dry_run)


def _remove_day(archive: SweptBucket, day: str) -> None:
    """Remove a day of all kinds: first the manifest, from which on nobody reads the others."""
    for kind in KINDS:
        archive.remove(manifest_key(kind.name, day))
        for folder in (index_folder(kind.name, day), data_folder(kind.name, day)):
            for key in archive.keys(folder):
                archive.remove(key)


LAKE, ARCHIVE = "LakeBucket", "ArchiveBucket"
RENAMED: Final = ("FaultsBucket", "DriftBucket")


class Clients(NamedTuple):
    """boto3's clients, with the permissions of who erases."""

    dynamodb: Any
    s3: Any
    sqs: Any
    cognito: Any


class Stores(NamedTuple):
    """Tables, buckets and dead-letter queues, by the names of their outputs."""

    clients: Clients
    tables: Mapping[str, SweptTable]
    buckets: Mapping[str, str]
    dead_letters: Mapping[str, str]

    @classmethod
    def of(cls, outputs: Mapping[str, str], people: People, clients: Clients) -> "Stores":
        """Return the stores of a stack. Where names belong is left out: what is there, its service erases."""
        tables = {
            pascal(variable): SweptTable(
                outputs[pascal(variable)],
                schema.keys,
                _published(package),
                _registered(package),
                frozenset(name for index in schema.indexes.values() for name in index.keys.names),
                is_view=package.side == "views",
            )
            for package in packages()
            for variable, schema in package.tables.items()
            if variable not in {people.table, *people.others} and pascal(variable) in outputs
        }
        named = {name: outputs[name] for name in (LAKE, ARCHIVE, *RENAMED)}
        others = [one for one in outputs[SWEPT_BUCKETS].split(",") if one not in named.values()]
        queues = {name: url for name, url in outputs.items() if name.endswith(DEAD_LETTERS)}
        return cls(clients, tables, named | {one: one for one in sorted(others)}, queues)

    def ids_with(self, mentions: Mentions) -> Iterator[tuple[str, bool]]:
        """Yield the parts of keys that have a mention in them, and whether somebody has registered them as an id."""
        for table in self.tables.values():
            for row in rows_of(self.clients.dynamodb, table.name):
                is_registered = row.get("discriminator", {}).get("S") in table.registered
                keys = (row[name].get("S", "") for name in table.keys.names)
                yield from ((id_, is_registered) for key in keys for id_ in ids_in(key, mentions))

    def sweep(self, mentions: Mentions, *, dry_run: bool) -> Iterator[tuple[str, SweepCounts]]:
        """Erase the mentions in every store but the dead letters; yield what each had.

        In the order in which one is made of the other: owned rows, the lake, the archive, views. So whatever is made
        anew meanwhile, by a command, a compaction or a repair of drift, is made of what has no mention any more.
        """
        views = {name for name, table in self.tables.items() if table.is_view}
        first = [*sorted(self.tables.keys() - views), LAKE, ARCHIVE]
        for name in [*first, *sorted({*views, *self.buckets} - {*first})]:
            if name in self.tables:
                yield name, rows.sweep(self.clients.dynamodb, self.tables[name], mentions, dry_run=dry_run)
            else:
                yield name, self._sweep_bucket(name, mentions, dry_run=dry_run)

    def wait_in_dead_letters(self, mentions: Mentions) -> Iterator[tuple[str, SweepCounts]]:
        """Yield what each dead-letter queue has."""
        for name, url in sorted(self.dead_letters.items()):
            yield name, count(self.clients.sqs, url, mentions)

    def _sweep_bucket(self, name: str, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
        bucket = partial(SweptBucket, self.clients.s3)
        swept = bucket(self.buckets[name])
        if name == LAKE:
            return _sweep_lake(swept, bucket(self.buckets[ARCHIVE]), mentions, dry_run=dry_run)
        if name == ARCHIVE:
            return _sweep_archive(swept, mentions, dry_run=dry_run)
        write = _under_other_name if name in RENAMED else _in_place
        return sweep(swept, mentions, write=write, dry_run=dry_run)


def _registered(package: Package) -> frozenset[str]:
    """Return the discriminators of what has the id that it was given, and keeps it: a report names any machine."""
    aggregates = package.aggregates.items()
    return frozenset(name for name, one in aggregates if one.identity is Identity.GIVEN and not one.expires)


def _published(package: Package) -> frozenset[str]:
    return frozenset(package.facts.of)

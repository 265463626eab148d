"""Objects of a bucket without mentions of a person: JSON, other text, or either of them gzipped.

An object that is named by what it says gets another name with its other words: faults and findings. The object that
has a mention goes last, so that whoever comes after a crash finds again what is to be done.
"""

import gzip
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from andon.stores.faults.store import IDS
from andon.tools.erase import documents
from andon.tools.erase.counted import SweepCounts
from andon.tools.erase.mentions import Mentions
from andon.tools.listings import GZIPPED, keys_in, unpacked_body
from andon.tools.stack.errors import ToolFailed

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
        erased = erased_object(found.body, mentions)
        counted.add(erased.found, erased.kept)
        if erased.found and not dry_run:
            write(bucket, found, erased)
    return counted


def in_place(bucket: SweptBucket, found: StoredObject, erased: Erased) -> None:
    """Replace an object under its key."""
    bucket.replace(found, erased.body)


def under_other_name(bucket: SweptBucket, found: StoredObject, erased: Erased) -> None:
    """Write an object under the id that it has now, and a fault's claim beside it; then delete those of before."""
    renamed = [(old, new) for old, new in erased.digests.items() if old in found.key]
    if not renamed:
        in_place(bucket, found, erased)
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


def erased_object(body: bytes, mentions: Mentions) -> Erased:
    """Return an object without mentions. Pure; one that has none is the same, byte by byte."""
    is_packed = body.startswith(GZIPPED)
    text = unpacked_body(body).decode(errors="surrogateescape")
    # Each line for itself: of NDJSON it is a document.
    lines = [documents.erased(line, mentions) for line in text.split("\n")]
    found, kept = sum(line.found for line in lines), sum(line.kept for line in lines)
    if not found:
        return Erased(body, 0, kept, {})
    left = "\n".join(line.text for line in lines).encode(errors="surrogateescape")
    digests = {old: new for line in lines for old, new in line.digests.items()}
    return Erased(gzip.compress(left, mtime=0) if is_packed else left, found, kept, digests)

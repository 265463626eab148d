"""A reference to a content: written once its object is there; until then the client is told where to upload it.

URLs are presigned: to upload an object, and to read one.
"""

from base64 import b64encode
from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

from andon.content.contents import (
    BYTES,
    OBJECT,
    OUTLIVES_SECONDS,
    SHA256,
    TYPE,
    URL_SECONDS,
    Content,
    Contents,
    granted_until,
    row_of,
)
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import (
    ConditionFailed,
    Put,
    TransactionConditionsFailed,
    TransactionConflict,
    Update,
    transact,
)
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Conflict
from andon.runtime.log import logger
from andon.runtime.tried import Failed, tried
from andon.versions.versioned_write import ATTEMPTS, Contended, pause
from andon.wire.aws_json import endpoint_of
from andon.wire.bucket import Head
from andon.wire.credentials import ANY_BODY, Signed, credentials, presigned, region
from andon.wire.in_threads import MOST, run_in_threads

_OTHER_SIZE: Final = "What has this digest has another number of bytes."
OTHERWISE: Final = "It is there already, as another type, or with another number of bytes."


class Kept(NamedTuple):
    """The row of a reference to an object that is there. created: by this call."""

    row: Item
    created: bool


class AwaitedUpload(NamedTuple):
    """The name of the object that is to be uploaded before a reference to it is written."""

    name: str


def keep(contents: Contents, content: Content, reference: Attributes, *, now_ms: int) -> Kept | AwaitedUpload:
    """Write a reference to a content if its object is there, else say where that is to be; again, it is the same.

    reference: the row with its key, its `ttl`, and what the service says of it; the content's members are added.

    Raises:
        Conflict: there is such a reference, or such an object, which is not as the client says.
        Contended: others wrote the content's row at each of `ATTEMPTS` attempts.
        ValueError: the reference never expires.

    """
    if ttl.ATTRIBUTE not in reference:
        raise ValueError("a reference has a ttl: its object lives by that")
    for attempt in range(ATTEMPTS):
        try:
            return _try(contents, content, reference, now_ms)
        except (ConditionFailed, TransactionConditionsFailed, TransactionConflict):
            pause(attempt)  # somebody else wrote the row, or it expired: what is there now decides
    raise Contended


def lost_among(contents: Contents, references: Iterable[Item]) -> set[str]:
    """Return the names of the objects of references that are lost, or hold other bytes; each is logged.

    What S3 does not answer about counts as there.
    """
    digests = {row[OBJECT]: row[SHA256] for row in references}
    heads = run_in_threads([partial(tried, contents.bucket.head, name) for name in digests], threads=MOST)
    asked = zip(digests.items(), heads, strict=True)
    lost = {name for (name, sha256), head in asked if not isinstance(head, Failed) and not fits(sha256, head)}
    for name in sorted(lost):
        logger().warning("an object is lost", extra={"object": name})
    return lost


def fits(sha256: str, head: Head | None) -> bool:
    """Return True if an object is there that has the digest, by S3's own checksum. Pure.

    One without it is none: S3 takes no upload by our addresses whose digest is another one.
    """
    return head is not None and head.sha256 == _checksum_of(sha256)


def _checksum_of(sha256: str) -> str:
    """Return a digest as S3 writes it."""
    return b64encode(bytes.fromhex(sha256)).decode()


def _try(contents: Contents, content: Content, reference: Attributes, now_ms: int) -> Kept | AwaitedUpload:
    found = contents.table.get({name: reference[name] for name in contents.table.keys.names}, consistent=True)
    row = contents.table.get(contents.key_of(content), consistent=True)
    head = contents.bucket.head(row[OBJECT]) if row else None
    if row is None or head is None or not fits(content.sha256, head):  # also where it was once: what is lost comes back
        return _grant(contents, content, row, now_ms)
    if found and found[OBJECT] == row[OBJECT] and ttl.is_alive(found, now_ms):
        return Kept(_require_same(found, content), created=False)
    if head.size != content.size:
        raise Conflict(_OTHER_SIZE)
    return _refer(contents, content, row, reference, now_ms)


def _require_same(reference: Item, content: Content) -> Item:
    if (reference[TYPE], reference[BYTES]) != (content.content_type, content.size):
        raise Conflict(OTHERWISE)
    return reference


def _grant(contents: Contents, content: Content, row: Item | None, now_ms: int) -> AwaitedUpload:
    """Let the object of a content be uploaded, and its row live until then.

    Raises:
        ConditionFailed: the row is another one by now.

    """
    key = contents.key_of(content)
    if row is None:
        row = row_of(content, now_ms=now_ms)
        contents.table.put({**key, **row}, condition=contents.table.absent)
    elif row[ttl.ATTRIBUTE] < (until := granted_until(now_ms)):
        contents.table.update(key, assign={ttl.ATTRIBUTE: until}, condition=_named(row, until))
    return AwaitedUpload(row[OBJECT])


def _refer(contents: Contents, content: Content, row: Item, reference: Attributes, now_ms: int) -> Kept:
    """Write a reference, and let the object live for longer than it, if its name still stands in its row.

    Raises:
        TransactionConditionsFailed: the row is another one by now, or somebody wrote the reference.
        TransactionConflict: somebody is writing either.

    """
    members = {SHA256: content.sha256, TYPE: content.content_type, BYTES: content.size, OBJECT: row[OBJECT]}
    made = {**reference, **members}
    until = max(row[ttl.ATTRIBUTE], reference[ttl.ATTRIBUTE] + OUTLIVES_SECONDS)
    key, named = contents.key_of(content), _named(row, until)
    lives = Update(contents.table, key, {ttl.ATTRIBUTE: until}, (), named)
    # One that names another object came back without it: from a backup, or when a region was lost.
    replaceable = Condition(
        "attribute_not_exists(#key) OR #ttl <= :now OR #object <> :object",
        {"key": contents.table.keys.partition, "ttl": ttl.ATTRIBUTE, "object": OBJECT},
        {"now": now_ms // 1000, "object": row[OBJECT]},
    )
    transact({"reference": Put(contents.table, made, replaceable), "content": lives})
    return Kept(made, created=True)


def _named(row: Item, until: int) -> Condition:
    """Return the condition that a row still has its name, and is kept no longer than `until`: that never shrinks."""
    return Condition(
        "#object = :object AND #ttl <= :until",
        {"object": OBJECT, "ttl": ttl.ATTRIBUTE},
        {"object": row[OBJECT], "until": until},
    )


# Addresses of contents: presigned, for one object and one purpose each. No call is made for them.
#
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html

READ_SECONDS: Final = 5 * 60

CHECKSUM: Final = "x-amz-checksum-sha256"
CONTENT_TYPE: Final = "content-type"
LENGTH: Final = "content-length"


class Upload(NamedTuple):
    """An upload by PUT. headers: those that the request must have; expires_ms: it begins before that."""

    url: str
    headers: dict[str, str]
    expires_ms: int


def to_upload(contents: Contents, name: str, content: Content, *, now_ms: int) -> Upload:
    """Return the request with which a client uploads an object; S3 refuses other bytes, more of them, and another type.

    Its length is signed too, which every client sends itself.
    """
    headers = {CHECKSUM: _checksum_of(content.sha256), CONTENT_TYPE: content.content_type}
    signed = Signed("PUT", {**headers, LENGTH: str(content.size)}, body=ANY_BODY, signs_token=True)
    url = _presigned(contents, name, signed, now_ms=now_ms, seconds=URL_SECONDS)
    return Upload(url, headers, now_ms + URL_SECONDS * 1000)


def to_read(contents: Contents, name: str, content_type: str, *, now_ms: int) -> str:
    """Return the address from which an object can be read for `READ_SECONDS`, as the type that its reference says."""
    signed = Signed(query={"response-content-type": content_type}, body=ANY_BODY, signs_token=True)
    return _presigned(contents, name, signed, now_ms=now_ms, seconds=READ_SECONDS)


def _presigned(contents: Contents, name: str, signed: Signed, *, now_ms: int, seconds: int) -> str:
    return presigned(
        address_of(contents.bucket.name, name),
        service="s3",
        region=region(),
        credentials=credentials(),
        now_ms=now_ms,
        seconds=seconds,
        signed=signed,
    )


def address_of(bucket: str, name: str) -> str:
    """Return the address of an object: at AWS its host names the bucket, at a configured endpoint its path."""
    endpoint = endpoint_of("s3", "S3")
    scheme, _, host = endpoint.partition("://")
    if host.startswith("s3.") and host.partition("/")[0].endswith((".amazonaws.com", ".amazonaws.com.cn")):
        return f"{scheme}://{bucket}.{host}/{name}"
    return f"{endpoint.rstrip('/')}/{bucket}/{name}"

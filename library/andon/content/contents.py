"""Contents of a service: where they are, and the row that each object lives by. Pure.

| pk | sk | row |
|---|---|---|
| `Content#<owner>#<sha256>` | `content` | `object`: its name in the bucket; it is kept until `ttl` |

The owner is the digest of a name: whoever knows the digest of what somebody else has neither reads nor probes it.
Contents of before have none, and are read by their references as ever; to attach such a one again uploads it again.

An object lives by its name in that row:

1. `keep` puts the row with the name of an object that is not there yet, and a client uploads it; the row lives for
   `GRANTED_SECONDS`.
2. `keep` finds the object, and writes a reference to it, in one transaction with the check that the row still has the
   name; the same transaction lets the row live for longer than the reference.
3. When the row has expired, DynamoDB removes it, and the service's trigger deletes the object, see `release`.

So an object is deleted only after its name has left the row, and no name ever comes back: whatever refers to an object
finds it. A crash between any two calls leaves a row that expires, and its object with it. Nothing counts references,
and nothing looks for objects that nobody refers to.
"""

from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.keys import SEPARATOR
from andon.versions.optimistic_lock import digest_of
from andon.wire.bucket import Bucket

FOLDER: Final = "contents"

DISCRIMINATOR: Final = "content"
SORT_KEY: Final = "content"
PREFIX: Final = f"Content{SEPARATOR}"

OBJECT: Final = "object"
"""The attribute with an object's name, in the row of its content and in each reference to it."""

SHA256: Final = "sha256"
BYTES: Final = "bytes"
TYPE: Final = "contentType"

_OWNER_DIGITS: Final = 32

URL_SECONDS: Final = 15 * 60
"""So long a client may begin to upload."""

GRANTED_SECONDS: Final = 6 * 60 * 60
"""So long an object is kept that nothing refers to: far longer than its address lasts, so that none comes too late."""

OUTLIVES_SECONDS: Final = ttl.SECONDS_PER_DAY
"""An object outlives what refers to it by that: a reader whose clock is behind still shows the reference."""


class Content(NamedTuple):
    """Some bytes as a client describes them: their SHA-256 (64 small hex digits), their type, and how many they are.

    owner: by whom they are kept; of two, each has its own.
    """

    sha256: str
    content_type: str
    size: int
    owner: str

    @property
    def place(self) -> str:
        """The owner's digest, shorter than most names and of all keys' characters, and that of the bytes."""
        return f"{digest_of(self.owner)[:_OWNER_DIGITS]}{SEPARATOR}{self.sha256}"


class Contents:
    """The contents of one service: a table with a stream and rows with `ttl`, and a bucket, by its variable.

    The bucket is named by an environment variable that is read at use.
    """

    def __init__(self, table: Table, variable: str) -> None:
        self.table, self.variable, self.bucket = table, variable, Bucket(variable)

    def key_of(self, content: Content) -> dict[str, str | int]:
        """Return the key of the row that an object lives by."""
        return self.table.keys.of(f"{PREFIX}{content.place}", SORT_KEY)


def row_of(content: Content, *, now_ms: int) -> Item:
    """Return the row of a content that is to be uploaded, its key aside.

    Its object's name has the time of the grant: it never comes back, for an older row was kept for hours.
    """
    name = f"{FOLDER}/{content.place.replace(SEPARATOR, '/')}/{now_ms}"
    return {
        "discriminator": DISCRIMINATOR,
        OBJECT: name,
        ttl.EXPIRE: True,
        ttl.ATTRIBUTE: granted_until(now_ms),
    }


def granted_until(now_ms: int) -> int:
    """Return the epoch second until which an object without references is kept, from now on."""
    return now_ms // 1000 + GRANTED_SECONDS

"""Identifiers: which to use when.

| the thing                                            | identifier                    | made by               |
|------------------------------------------------------|-------------------------------|-----------------------|
| is created by a client, which may retry              | `client_chosen`: UUIDv4, PUT  | the client            |
| has a name in the business, and one of each          | `composite`: its parts by `#` | who knows the parts   |
| is the fact that a row changed                       | `of_change`: stream's eventID | DynamoDB              |
| is a fact without a row, and many share a ms         | `time_based`: UUIDv1          | the service           |
| is its content: the same twice is one                | `of_content`: a digest        | anyone, the same      |

Ask in this order:

1. *Are two with the same content one thing?* Then the content is the name (`of_content`): storing it twice stores it
   once. Two contents can share a digest, above all a shortened one: `require_same_content` checks that.
2. *Does the business have names for them?* Then so has the key (`composite`): a second PUT finds the first without a
   search, and another service can name it without asking.
3. *Was a row written?* Then DynamoDB has numbered the change and delivers it under the same number every time
   (`of_change`): consumers recognise a duplicate.
4. *May the client retry?* Then the client chooses (`client_chosen`): if the server chose, a retry after a lost response
   would create a second thing.
5. *Otherwise* (`time_based`): a new id for each, ordered by when it happened. A retry makes another one.

UUIDv1s are sorted by their time (`by_time`), never by their text: it begins with the *low* bits, which start over
every seven minutes.
"""

import uuid

from andon.dynamodb.keys import sort_key
from andon.runtime import strict_json
from andon.runtime.errors import Conflict
from andon.runtime.json_types import JsonMapping

UUID_OF_TIME, UUID_OF_CHANCE = 1, 4

# UUIDs count 100 ns since the Gregorian calendar began, 1582-10-15. https://www.rfc-editor.org/rfc/rfc9562#section-5.1
TICKS_PER_MS = 10_000
EPOCH_TICKS = 0x01B21DD213814000

# This bit marks a node that is no network card. https://www.rfc-editor.org/rfc/rfc9562#section-6.10
_NO_NETWORK_CARD = 1 << 40


def client_chosen(text: str) -> str:
    """Return the UUIDv4 that a client chose in its one canonical spelling.

    Raises:
        ValueError: it is not a UUIDv4.

    """
    chosen = uuid.UUID(text)
    if chosen.version != UUID_OF_CHANCE or str(chosen) != text.lower():  # uuid also takes braces, `urn:` and no dashes
        raise ValueError("must be a UUID of version 4")
    return str(chosen)


def composite(*parts: str) -> str:
    """Return the name of a thing: the parts of its name in the business, the widest first.

    Raises:
        ValueError: a part is empty or has a `#` in it: two things could get one name.

    """
    return sort_key(*parts)


def of_change(record: JsonMapping) -> str:
    """Return the id of a stream's record; it is the same however often the record is delivered."""
    return str(record["eventID"])


def time_based(now_ms: int, *, tick: int = 0) -> str:
    """Return a new UUIDv1 of a time; `tick` (0 to 9999) orders those of one millisecond.

    Node and clock sequence, 61 bits, are random for each. A network card's address would reveal where we run, and
    forks or restored Lambda snapshots would share what is drawn once per process.

    Raises:
        ValueError: `tick` is out of range.

    """
    if not 0 <= tick < TICKS_PER_MS:
        raise ValueError(f"a millisecond has {TICKS_PER_MS} ticks")
    import secrets  # noqa: PLC0415  it loads OpenSSL, and most who import this draw nothing

    time = now_ms * TICKS_PER_MS + EPOCH_TICKS + tick
    node, clock = secrets.randbits(48) | _NO_NETWORK_CARD, secrets.randbits(14)
    low, mid, high = time & 0xFFFFFFFF, time >> 32 & 0xFFFF, time >> 48 & 0x0FFF
    return str(uuid.UUID(fields=(low, mid, high, clock >> 8, clock & 0xFF, node), version=UUID_OF_TIME))


def by_time(time_based_id: str) -> tuple[int, str]:
    """Return the sort key of a UUIDv1: its time, then its text, so that the order is total.

    Raises:
        ValueError: it is not a UUIDv1.

    """
    return _ticks(time_based_id), time_based_id


def of_content(content: object, *, digits: int = 64) -> str:
    """Return the SHA-256 of JSON, shortened to `digits` hexadecimal digits; the fewer, the likelier a collision."""
    import hashlib  # noqa: PLC0415  as above

    return hashlib.sha256(strict_json.normalised(content).encode()).hexdigest()[:digits]


def require_same_content(content: object, stored: object) -> None:
    """Check that the stored content under the name of `content` is the same content.

    Raises:
        Conflict: it is another content: shortened digests collided, or somebody changed it.

    """
    if strict_json.normalised(content) != strict_json.normalised(stored):
        raise Conflict("Something else is stored under the name of this content.")


def _ticks(text: str) -> int:
    parsed = uuid.UUID(text)
    if parsed.version != UUID_OF_TIME:
        raise ValueError("must be a UUID of version 1")
    return parsed.time

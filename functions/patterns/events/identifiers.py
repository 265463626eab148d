"""Identifiers: which to use when.

| the thing                                            | identifier                    | made by               |
|------------------------------------------------------|-------------------------------|-----------------------|
| is created by a client, which may have to try again  | `client_chosen`: UUIDv4, PUT  | the client            |
| has a name in the business, and one of each          | `composite`: its parts by `#` | whoever knows parts   |
| is the fact that a row changed                       | `of_change`: stream's eventID | DynamoDB              |
| is a fact that no row tells of, and many share a ms  | `time_based`: UUIDv1          | the service           |
| is its content: the same twice is one                | `of_content`: a digest        | anyone, the same      |

Ask in this order:

1. *Does it say the same as something that is there?* Then its content names it, and storing it twice is storing it once
   (`of_content`). A digest, a shortened one above all, can meet another content: `require_same_content` looks.
2. *Does the business already tell two of them apart?* Then so does the key (`composite`): a second PUT finds the first
   without a search, and another service can name it without asking.
3. *Was a row written?* Then DynamoDB has already numbered the change, and hands out the same number however often it
   delivers it (`of_change`): who hears of it twice can tell.
4. *May its maker try again?* Then let the maker choose (`client_chosen`): an id that the server makes is another one at
   every retry, and a lost answer makes two things of one.
5. *Otherwise* (`time_based`): one of its own for each, ordered by when it happened. A retry makes another one.

A UUIDv1 is sorted by its time (`by_time`), never by its text: that begins with the *low* bits, which start over
every seven minutes.
"""

import hashlib
import json
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

from patterns.dynamodb.keys import sort_key
from patterns.runtime import strict_json
from patterns.runtime.errors import Conflict

UUID_OF_TIME, UUID_OF_CHANCE = 1, 4

# UUIDs count 100 ns since the Gregorian calendar began, 1582-10-15. https://www.rfc-editor.org/rfc/rfc9562#section-5.1
TICKS_PER_MS = 10_000
EPOCH_TICKS = 0x01B21DD213814000

# A node that is no network card says so by this bit. https://www.rfc-editor.org/rfc/rfc9562#section-6.10
NO_NETWORK_CARD = 1 << 40


def client_chosen(text: str) -> str:
    """Give back the UUIDv4 that a client chose, as it is always written: so that two spellings are not two things.

    Raises:
        ValueError: it is none.

    """
    chosen = uuid.UUID(text)
    if chosen.version != UUID_OF_CHANCE or str(chosen) != text.lower():  # uuid also takes braces, `urn:` and no dashes
        raise ValueError("must be a UUID of version 4")
    return str(chosen)


def composite(*parts: str) -> str:
    """Name a thing by what the business tells it apart by, the widest first.

    Raises:
        ValueError: a part is empty or has a `#` in it, so that two things could have one name.

    """
    return sort_key(*parts)


def of_change(record: Mapping[str, Any]) -> str:
    """Give the id of a stream's record: the same, however often it is delivered."""
    return str(record["eventID"])


def time_based(now_ms: int, *, tick: int = 0) -> str:
    """Make a UUIDv1 of a time; `tick` (0 to 9999) orders those of one millisecond.

    Node and clock sequence, 61 bits, are drawn anew for each: a network card's address tells where we run, and whatever
    is drawn once for a process its forks and the restored copies of a Lambda snapshot have in common.

    Raises:
        ValueError: there is no such tick.

    """
    if not 0 <= tick < TICKS_PER_MS:
        raise ValueError(f"a millisecond has {TICKS_PER_MS} ticks")
    time = now_ms * TICKS_PER_MS + EPOCH_TICKS + tick
    node, clock = secrets.randbits(48) | NO_NETWORK_CARD, secrets.randbits(14)
    low, mid, high = time & 0xFFFFFFFF, time >> 32 & 0xFFFF, time >> 48 & 0x0FFF
    return str(uuid.UUID(fields=(low, mid, high, clock >> 8, clock & 0xFF, node), version=UUID_OF_TIME))


def time_of(time_based_id: str) -> int:
    """Read the epoch milliseconds out of a UUIDv1.

    Raises:
        ValueError: it is none.

    """
    return (_ticks(time_based_id) - EPOCH_TICKS) // TICKS_PER_MS


def by_time(time_based_id: str) -> tuple[int, str]:
    """Give what UUIDv1s are sorted by: the time within, then the text, so that the order is total.

    Raises:
        ValueError: it is none.

    """
    return _ticks(time_based_id), time_based_id


def of_content(content: object, *, digits: int = 64) -> str:
    """Name JSON by what it says: SHA-256, shortened to `digits` hexadecimal ones (fewer meet each other sooner)."""
    return hashlib.sha256(_said(content).encode()).hexdigest()[:digits]


def require_same_content(content: object, stored: object) -> None:
    """Check that what stands under a content's name says the same: who finds it there stored it before.

    Raises:
        Conflict: it says something else, by a collision of shortened digests or by somebody's hand.

    """
    if _said(content) != _said(stored):
        raise Conflict("Something else is stored under the name of this content.")


def _said(content: object) -> str:
    """Write JSON as one text for all that says the same: 1.0 comes back out of DynamoDB as 1."""
    return strict_json.canonical(json.loads(strict_json.canonical(content), parse_float=_number))


def _number(digits: str) -> int | float:
    number = float(digits)
    return int(number) if number.is_integer() else number


def _ticks(text: str) -> int:
    parsed = uuid.UUID(text)
    if parsed.version != UUID_OF_TIME:
        raise ValueError("must be a UUID of version 1")
    return parsed.time

"""Pages of a list: an opaque cursor that says where to go on, and that fits only the question it was given for."""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from patterns import strict_json
from patterns.errors import Invalid

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
MAX_CURSOR_CHARACTERS = 4096

Position = Mapping[str, str | int]


def encode(last_key: Mapping[str, Any], *, partition: str, scope: Mapping[str, Any]) -> str:
    """Make the cursor of a `LastEvaluatedKey`: all of it but the attribute `partition`, which the request repeats."""
    position = {name: value for name, value in last_key.items() if name != partition}
    text = json.dumps([position, _checksum(position, scope)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, *, names: frozenset[str], scope: Mapping[str, Any]) -> Position:
    """Read a cursor back into the key attributes `names`.

    The checksum is no signature: who forges one can but start elsewhere in the same partition.

    Raises:
        Invalid: it is no cursor, or one of another question.

    """
    refused = Invalid.field("query.cursor", "is not a cursor of this list")
    try:
        padded = cursor[:MAX_CURSOR_CHARACTERS] + "=" * (-len(cursor) % 4)
        position, checksum = strict_json.loads(base64.b64decode(padded, altchars=b"-_", validate=True).decode())
    except (ValueError, TypeError):
        raise refused from None
    if not isinstance(position, dict) or position.keys() != names or checksum != _checksum(position, scope):
        raise refused
    if not all(isinstance(value, str) or type(value) is int for value in position.values()):
        raise refused
    return position


def _checksum(position: Mapping[str, Any], scope: Mapping[str, Any]) -> str:
    text = json.dumps([position, scope], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

"""One page of a list: one Query, expired rows left out, and a cursor while there is more."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.client import Rows, Table
from patterns.dynamodb.errors import StartKeyRefused
from patterns.dynamodb.key_query import KeyQuery
from patterns.dynamodb.ttl import is_alive
from patterns.runtime import strict_json
from patterns.runtime.errors import Invalid

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
MAX_CURSOR_CHARACTERS = 4096

Position = Mapping[str, str | int]


def read_page(
    table: Table,
    query: KeyQuery,
    *,
    to_response: Callable[[Item], Mapping[str, Any]],
    scope: Mapping[str, Any],
    limit: int,
    cursor: str | None,
    now_ms: int,
) -> dict[str, Any]:
    """Read `{"items": [...], "cursor"?}`.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    rows = read_rows(table, query, scope=scope, limit=limit, cursor=cursor)
    page = {"items": [to_response(row) for row in rows.items if is_alive(row, now_ms)]}
    return with_cursor(page, rows.last_key, query, scope=scope)


def read_rows(table: Table, query: KeyQuery, *, scope: Mapping[str, Any], limit: int, cursor: str | None) -> Rows:
    """Read the rows of a page, expired ones among them.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    # The start key of an index has the table's own key in it, too.
    names = frozenset(query.keys.names + table.keys.names) - {query.keys.partition}
    start = None
    if cursor is not None:
        start = {**decode_cursor(cursor, names=names, scope=scope), query.keys.partition: query.partition}
    try:
        return table.query(query, limit=limit, start=start)
    except StartKeyRefused:
        raise Invalid.field("query.cursor", "is not a cursor of this list") from None


def with_cursor(
    page: Mapping[str, Any], last_key: Item | None, query: KeyQuery, *, scope: Mapping[str, Any]
) -> dict[str, Any]:
    """Say in a page where the next one begins, if there is one: behind `last_key`."""
    if last_key is None:
        return dict(page)
    return {**page, "cursor": encode_cursor(last_key, partition=query.keys.partition, scope=scope)}


def encode_cursor(last_key: Mapping[str, Any], *, partition: str, scope: Mapping[str, Any]) -> str:
    """Make the cursor of a `LastEvaluatedKey`: all of it but the attribute `partition`, which the request repeats."""
    position = {name: value for name, value in last_key.items() if name != partition}
    text = json.dumps([position, _checksum(position, scope)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *, names: frozenset[str], scope: Mapping[str, Any]) -> Position:
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

"""One page of a list: one Query, expired rows left out, and a cursor while there is more."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypedDict

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Rows, StartKeyRefused, Table
from andon.dynamodb.schema import KeyQuery
from andon.dynamodb.ttl import is_alive
from andon.runtime import strict_json
from andon.runtime.errors import Invalid
from andon.runtime.json_types import JsonMapping

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000

# A cursor has an index's sort key and the table's own key, of which DynamoDB takes so many bytes; JSON writes a
# quotation mark as two, and base64 makes four of three. Keys have no control characters: ids and times have none.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
_MAX_POSITION_BYTES: Final = 1024 + 2048 + 1024
_AROUND_POSITION_BYTES: Final = 512
"""Of the names of three attributes, the marks of JSON, and the checksum."""
_MAX_CURSOR_CHARACTERS: Final = (2 * _MAX_POSITION_BYTES + _AROUND_POSITION_BYTES) * 4 // 3

# A key of S3 has 1,024 bytes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
MAX_TEXT_CHARACTERS: Final = 256

# Lambda sends at most 6 MB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_PAGE_BYTES: Final = 4 * 1024 * 1024

Position = Mapping[str, str | int]
"""A `LastEvaluatedKey` without the partition key, which the request repeats."""


class Scope(TypedDict):
    """The list that a cursor is valid for: a route and its parameters."""

    route: str
    path: Mapping[str, str]
    query: Mapping[str, str]


class NextPage(TypedDict, total=False):
    """Cursor of the next page; without `cursor` there is none."""

    cursor: str


class PageResponse(NextPage):
    """A page. It is the last one if it has no cursor, not if it is empty."""

    items: list[JsonMapping]


class ReadRows(Protocol):
    """Reader of the rows of one page, see `read_rows`."""

    def __call__(self, table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
        """Return them."""


def read_page(
    table: Table,
    query: KeyQuery,
    *,
    to_response: Callable[[Any], JsonMapping],
    scope: Scope,
    limit: int,
    cursor: str | None,
    now_ms: int,
    read: ReadRows | None = None,
) -> PageResponse:
    """Return the rows of one page; it ends before `limit` if a response cannot hold more.

    read: instead of `read_rows`.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    rows = (read or read_rows)(table, query, scope=scope, limit=limit, cursor=cursor)
    alive = [row for row in rows.items if is_alive(row, now_ms)]
    items = [to_response(row) for row in alive]
    count = count_that_fit(items)
    last_key = rows.last_key if count == len(items) else key_in(alive[count - 1], table, query)
    return {"items": items[:count], **next_page(last_key, query, scope=scope)}


def count_that_fit(items: Iterable[JsonMapping]) -> int:
    """Return the number of leading items that a response can hold; the first always counts."""
    count = size = 0
    for item in items:
        size += bytes_sent(strict_json.dumps(item))
        if count and size > MAX_PAGE_BYTES:
            break
        count += 1
    return count


def key_in(row: Item, table: Table, query: KeyQuery) -> Item:
    """Return the `LastEvaluatedKey` of a query that ended with this row."""
    return {name: row[name] for name in {*query.keys.names, *table.keys.names}}


def read_rows(table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
    """Return the rows of one page as they are, expired ones among them.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    return read_rows_from(start_of(table, query, scope=scope, cursor=cursor), table, query, limit=limit)


def read_rows_from(start: Item | None, table: Table, query: KeyQuery, *, limit: int) -> Rows:
    """Return the rows behind a key, expired ones among them; None is the beginning.

    Raises:
        Invalid: a cursor with this key is not one of this list.

    """
    try:
        return table.query(query, limit=limit, start=start)
    except StartKeyRefused:
        raise wrong_cursor() from None


def start_of(table: Table, query: KeyQuery, *, scope: Scope, cursor: str | None) -> Item | None:
    """Return the key that a page begins behind, None for the first one.

    Raises:
        Invalid: the cursor is not one of this list.

    """
    if cursor is None:
        return None
    # The start key of an index holds the table's own key, too.
    names = frozenset(query.keys.names + table.keys.names) - {query.keys.partition}
    return {**decode_cursor(cursor, names=names, scope=scope), query.keys.partition: query.partition}


def next_page(last_key: Item | None, query: KeyQuery, *, scope: Scope) -> NextPage:
    """Return the cursor that leads on behind `last_key`, if there is one."""
    if last_key is None:
        return {}
    return {"cursor": encode_cursor(last_key, partition=query.keys.partition, scope=scope)}


def encode_cursor(last_key: Attributes, *, partition: str, scope: Scope) -> str:
    """Return the cursor of a `LastEvaluatedKey`: all of it but the attribute `partition`, which the request repeats."""
    position = {name: value for name, value in last_key.items() if name != partition}
    text = json.dumps([position, _checksum(position, scope)], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode(errors="surrogatepass")).decode().rstrip("=")


def decode_cursor(cursor: str, *, names: frozenset[str], scope: Scope) -> Position:
    """Return the key attributes `names` that are in a cursor.

    The checksum is no signature: a forged cursor starts elsewhere in the same partition, and no more.

    Raises:
        Invalid: it is not a cursor, or one of another list.

    """
    try:
        padded = cursor[:_MAX_CURSOR_CHARACTERS] + "=" * (-len(cursor) % 4)
        position, checksum = strict_json.loads(base64.b64decode(padded, altchars=b"-_", validate=True).decode())
    except (ValueError, TypeError):
        raise wrong_cursor() from None
    if not isinstance(position, dict) or position.keys() != names or checksum != _checksum(position, scope):
        raise wrong_cursor()
    if not all(isinstance(value, str) or type(value) is int for value in position.values()):
        raise wrong_cursor()
    return position


def decode_texts(cursor: str, *, names: frozenset[str], scope: Scope) -> Mapping[str, str]:
    """Return the texts `names` that are in a cursor which is not one of a table.

    Raises:
        Invalid: it is not a cursor, or one of another list.

    """
    texts = {name: text for name, text in decode_cursor(cursor, names=names, scope=scope).items() if type(text) is str}
    if texts.keys() != names or not all(map(_is_listable, texts.values())):
        raise wrong_cursor()
    return texts


def bytes_sent(text: str) -> int:
    """Return the bytes of an item's JSON in a response: it stands in a text of Lambda's own JSON, escaped once more."""
    return len(text.encode()) + text.count('"') + text.count("\\")


def wrong_cursor() -> Invalid:
    """Return the error of a cursor that is none, or one of another list."""
    return Invalid.field("query.cursor", "is not a cursor of this list")


def _is_listable(text: str) -> bool:
    """Return True if S3 lists behind a text: it repeats it in XML, which has no control characters."""
    return text.isprintable() and len(text) <= MAX_TEXT_CHARACTERS


def _checksum(position: JsonMapping, scope: Scope) -> str:
    text = json.dumps([position, scope], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

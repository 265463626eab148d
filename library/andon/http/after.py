"""Reads that are not older than a write: `?after=<token>` of a view; the write answered the token in `x-after`.

A read waits shortly until the row has seen the write. If it has not, the response is 202 with Retry-After and no
body: never something older.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import Rows, Table
from andon.dynamodb.schema import KeyQuery, is_within
from andon.dynamodb.ttl import is_alive
from andon.events.written import Written
from andon.http.page import ReadRows, Scope, read_rows, start_of
from andon.http.response import LATER, Response, respond
from andon.runtime import clock
from andon.runtime.errors import Invalid
from andon.views.object_table import ObjectRows, ObjectTable, shown_in
from andon.views.seen import Awaited, Writes

PARAMETER: Final = "after"
FIELD: Final = "query.after"

# Between the reads. Together they are two seconds, most of what a view lags behind, and well below the function's ten.
PAUSES_SECONDS: Final = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.4, 0.4)
RETRY_AFTER_SECONDS: Final = 1

NOT_YET: Final[dict[int, Any]] = {
    HTTPStatus.ACCEPTED: {
        "description": "The view has not seen the write of `after` yet; ask again after Retry-After.",
        "headers": LATER,
    }
}
"""For the OpenAPI document: what a route with `after` may respond besides."""

Read = TypeVar("Read")


class NotSeenYet(Exception):
    """The view has not seen the write that a request asks for."""


def respond_not_yet() -> Response:
    """Return 202 without content."""
    return respond(HTTPStatus.ACCEPTED, Retry_After=str(RETRY_AFTER_SECONDS))


def awaited(token: str | None, writes: Writes, *, about: str | None = None) -> Awaited | None:
    """Return the write of a token; `about`: the partition key that the request is about, if it is about one.

    Raises:
        Invalid: it is no token, or the request is about something else.

    """
    if token is None:
        return None
    try:
        found = writes.awaited(Written.from_token(token))
    except ValueError as error:
        raise Invalid.field(FIELD, str(error)) from error
    if about not in {None, found.written.partition_key}:
        raise Invalid.field(FIELD, "is a token of something else than what is asked for")
    return found


def read_row(table: Table, key: Attributes, after: Awaited | None, *, now_ms: int) -> Item | None:
    """Return a row that is not older than a write of it.

    Raises:
        NotSeenYet: it has not seen the write in time.

    """
    if after is None:
        return table.get(key)
    return until_seen(lambda: _seen(after, now_ms))[0]


def read_object(objects: ObjectTable, group: tuple[str, ...], after: Awaited | None, *, now_ms: int) -> list[Item]:
    """Return the rows of an object that readers may see, not older than a write of one of them.

    Raises:
        Invalid: the write is of another object.
        NotSeenYet: the object has not seen the write in time.

    """
    if after is None:
        return objects.shown(group, now_ms=now_ms)
    if objects.keys.group_of(after.update.key) != group:
        raise Invalid.field(FIELD, "is a token of something else than what is asked for")

    def seen() -> tuple[ObjectRows] | None:
        rows = objects.read(group)
        return (rows,) if after.is_seen_by(rows.get(after.update.key), now_ms=now_ms) else None

    return shown_in(until_seen(seen)[0], now_ms)


def rows_not_older_than(after: Awaited, *, now_ms: int, read_once: ReadRows = read_rows) -> Callable[..., Rows]:
    """Return a `ReadRows` for a page that is not older than a write; it may raise `NotSeenYet`.

    The table's row is read by its key. An index may lag behind the table: the page counts only if it shows the row as
    new as that, or does not show it because it belongs elsewhere. So an index must copy the oplocks, or have keys only.
    """

    def read(table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
        start = start_of(table, query, scope=scope, cursor=cursor)

        def attempt() -> tuple[Rows] | None:
            seen = _seen(after, now_ms)
            if seen is None:
                return None
            rows = read_once(table, query, scope=scope, limit=limit, cursor=cursor)
            return (rows,) if _is_as_new(rows, seen[0], after, query, start=start, now_ms=now_ms) else None

        return until_seen(attempt)[0]

    return read


def until_seen(read: Callable[[], Read | None]) -> Read:
    """Read until there is something, with pauses.

    Raises:
        NotSeenYet: there was nothing in time.

    """
    for seconds in PAUSES_SECONDS:
        if (found := read()) is not None:
            return found
        clock.wait(seconds)
    if (found := read()) is not None:
        return found
    raise NotSeenYet


def _seen(after: Awaited, now_ms: int) -> tuple[Item | None] | None:
    """Return the row if it has seen the write: it may still be none, if the write left none."""
    row = after.read()
    return (row,) if after.is_seen_by(row, now_ms=now_ms) else None


def _is_as_new(
    rows: Rows, row: Item | None, after: Awaited, query: KeyQuery, *, start: Item | None, now_ms: int
) -> bool:
    """Return True if a page shows a row that has seen the write, or rightly does not show it."""
    listed = [item for item in rows.items if after.is_row(item)]
    if listed:
        return all(after.is_seen_by(item, now_ms=now_ms) for item in listed)
    return row is None or not is_alive(row, now_ms) or not _belongs(row, query, start, rows.last_key)


def _belongs(row: Item, query: KeyQuery, start: Item | None, last_key: Item | None) -> bool:
    """Return True if a row must be on the page between two keys; False if it shares its sort key with one of them."""
    sort = query.keys.sort
    if row.get(query.keys.partition) != query.partition or sort is None or sort not in row:
        return False
    position, forward = row[sort], query.forward
    begun = start is None or (position > start[sort] if forward else position < start[sort])
    ended = last_key is not None and not (position < last_key[sort] if forward else position > last_key[sort])
    return begun and not ended and is_within(query.sort, position)

"""One page of a list: one Query, expired rows left out, and a cursor while there is more."""

from collections.abc import Callable, Mapping
from typing import Any

from patterns import paging
from patterns.attribute_values import Item
from patterns.errors import Invalid
from patterns.key_query import KeyQuery
from patterns.table import Rows, StartKeyRefused, Table
from patterns.ttl import is_alive


def read_page(
    table: Table,
    query: KeyQuery,
    *,
    show: Callable[[Item], Mapping[str, Any]],
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
    page = {"items": [show(row) for row in rows.items if is_alive(row, now_ms)]}
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
        start = {**paging.decode(cursor, names=names, scope=scope), query.keys.partition: query.partition}
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
    return {**page, "cursor": paging.encode(last_key, partition=query.keys.partition, scope=scope)}

"""The board of a caller limited to factories and lines: their equipment, by location."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import MOST_READ_AT_ONCE, Rows, Table
from andon.dynamodb.schema import KeyQuery
from andon.http.page import MAX_LIMIT, ReadRows, Scope, read_rows_from, start_of
from andon.http.places import SEPARATOR, Places
from andon.http.whereabouts import MOST_READS, page_of
from andon.runtime.errors import Conflict
from andon.wire.in_parallel import in_parallel
from views.board.places import whereabouts_in
from views.board.view import BY_FACTORY

MOST_FACTORIES: Final = 20
TOO_MANY: Final = f"You are at more than {MOST_FACTORIES} places; of a company that is none of them they are too many."


def rows_at(places: Places) -> ReadRows:
    """Return a reader of the rows of a company, or of a place in it, that stand at some places, by location.

    Raises:
        Conflict: there are too many.

    """
    factories = sorted({name.partition(SEPARATOR)[0] for name in places.names} - {""})
    if len(factories) > MOST_FACTORIES:
        raise Conflict(TOO_MANY)

    def read(table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
        start = start_of(table, query, scope=scope, cursor=cursor)
        own: list[Item] = []
        is_end, at_once = False, limit + 1
        for _ in range(MOST_READS):
            entries, start = _entries(table, query, factories, start, limit=at_once)
            is_end, at_once = start is None, MAX_LIMIT
            for chunk in _chunks(entries, max(limit + 1, MOST_READ_AT_ONCE)):
                own += [row for row in table.rows_of(chunk, BY_FACTORY) if _is_own(row, places, query.partition)]
                if len(own) > limit:
                    break
            if is_end or len(own) > limit:
                break
        return page_of(own, table, query, limit=limit, is_end=is_end)

    return read


def _chunks(entries: list[Item], size: int) -> Iterator[list[Item]]:
    return (entries[first : first + size] for first in range(0, len(entries), size))


def _entries(
    table: Table, query: KeyQuery, factories: list[str], start: Item | None, *, limit: int
) -> tuple[list[Item], Item | None]:
    """Return the next keys of several factories by location, and the key to go on behind; None is the end.

    They go as far as all of the pages do: what lies behind the end of one is read again.
    """
    pages = in_parallel([partial(_entries_of, table, query, one, start, limit=limit) for one in factories])
    entries = sorted(chain.from_iterable(page.items for page in pages), key=itemgetter("Location"))
    ends = [page.last_key for page in pages if page.last_key]
    if not ends:
        return entries, None
    end = min(ends, key=itemgetter("Location"))
    return [entry for entry in entries if entry["Location"] <= end["Location"]], end


def _entries_of(table: Table, query: KeyQuery, factory: str, start: Item | None, *, limit: int) -> Rows:
    of_factory = KeyQuery(
        keys=BY_FACTORY, index_name="ByFactory", partition=factory, sort=query.sort, forward=query.forward
    )
    names = (*BY_FACTORY.names, *table.keys.names)
    behind = None if start is None else {name: start[name] for name in names if name in start}
    return read_rows_from(behind and {**behind, BY_FACTORY.partition: factory}, table, of_factory, limit=limit)


def _is_own(row: Item, places: Places, company: str) -> bool:
    return row.get("Company") == company and places.include(whereabouts_in(row))

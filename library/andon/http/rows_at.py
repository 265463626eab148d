"""Pages of a list whose rows are about subjects, without those of subjects that are elsewhere.

Nothing of these is in a response: neither a row, nor its key in a cursor. It is read on until the page is full, and one
row further, so that a cursor says no more than that there is another own row.
"""

from collections.abc import Callable, Sequence
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Rows, Table
from andon.dynamodb.key_query import KeyQuery
from andon.http.page import MAX_LIMIT, ReadRows, Scope, key_in, read_rows_from, start_of
from andon.http.places import Places
from andon.http.whereabouts import subjects_at
from andon.runtime.errors import Conflict

MOST_READS: Final = 10

TOO_FEW: Final = "Too little of this list is at your places to find it. Ask for less of it, or for what it is about."


def rows_at(places: Places, subject_of: Callable[[Item], str]) -> ReadRows:
    """Return a reader of the rows whose subject is at one of the places."""

    def read(table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
        own = OwnRows(places, subject_of)
        start, at_once = start_of(table, query, scope=scope, cursor=cursor), limit + 1
        for _ in range(MOST_READS):
            page = read_rows_from(start, table, query, limit=at_once)
            own.take(page.items)
            start, at_once = page.last_key, MAX_LIMIT
            if start is None or len(own.rows) > limit:
                break
        return page_of(own.rows, table, query, limit=limit, is_end=start is None)

    return read


def page_of(own: Sequence[Item], table: Table, query: KeyQuery, *, limit: int, is_end: bool) -> Rows:
    """Return the page of own rows; its key is that of its last one.

    is_end: there are no others.

    Raises:
        Conflict: none was found, and it is not the end.

    """
    if is_end and len(own) <= limit:
        return Rows([*own], None)
    if not own:
        raise Conflict(TOO_FEW)
    rows = [*own[:limit]]
    return Rows(rows, key_in(rows[-1], table, query))


class OwnRows:
    """The rows of subjects at some places, in the order in which they come; of each subject it is asked once."""

    def __init__(self, places: Places, subject_of: Callable[[Item], str]) -> None:
        self.rows: list[Item] = []
        self._places = places
        self._subject_of = subject_of
        self._asked: set[str] = set()
        self._own: set[str] = set()

    def take(self, rows: Sequence[Item]) -> None:
        """Add those of some rows whose subject is at one of the places."""
        unknown = [*dict.fromkeys(subject for row in rows if (subject := self._subject_of(row)) not in self._asked)]
        self._own |= subjects_at(self._places, unknown)
        self._asked.update(unknown)
        self.rows += [row for row in rows if self._subject_of(row) in self._own]

"""Whereabouts of subjects, by the view that `Project.whereabouts` names, and pages of the rows that a caller may see.

It is read for callers who are limited to places, and for nobody else. A view lags: for a second or so after a move the
rights of the place before hold.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import chain
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import MOST_READ_AT_ONCE, Rows, Table
from andon.dynamodb.schema import KeyQuery, Keys
from andon.http.page import MAX_LIMIT, ReadRows, Scope, key_in, read_rows_from, start_of
from andon.http.places import Places, Stay, names_of
from andon.project import Whereabouts, project
from andon.runtime.errors import Conflict
from andon.wire.in_parallel import in_parallel

NOWHERE: Final = Stay()


def stay_of(subject: str) -> Stay:
    """Return the place of a subject; nowhere, if nobody knows."""
    declared = _declared()
    if declared is None:
        return NOWHERE
    table = _table(declared)
    return _in_row(table.get(table.keys.of(subject)), declared)


def stays_of(subjects: Sequence[str]) -> dict[str, Stay]:
    """Return the places of some different subjects; a hundred are one request."""
    declared = _declared()
    if declared is None or not subjects:
        return dict.fromkeys(subjects, NOWHERE)
    table = _table(declared)
    keys = [table.keys.of(subject) for subject in subjects]
    chunks = [keys[first : first + MOST_READ_AT_ONCE] for first in range(0, len(keys), MOST_READ_AT_ONCE)]
    rows = chain.from_iterable(in_parallel([partial(table.get_many, chunk) for chunk in chunks]))
    return {one: _in_row(row, declared) for one, row in zip(subjects, rows, strict=True)}


def _in_row(row: Item | None, declared: Whereabouts) -> Stay:
    """Return the whereabouts that a row says."""
    if row is None:
        return NOWHERE
    names = names_of(*(tuple(map(row.get, path)) for path in declared.paths))
    return Stay(names, row.get(declared.since) or "")


def _declared() -> Whereabouts | None:
    """Return the project's declaration; None if the stack has no such view: then nobody knows where anything is."""
    declared = project().whereabouts
    return declared if declared is not None and declared.table in os.environ else None


@cache
def _table(declared: Whereabouts) -> Table:
    return Table(declared.table, Keys(declared.key, one_partition_per="entity"))


# Pages of a list without rows from elsewhere: rows about subjects there, or of the time before they came here.
#
# Nothing of these is in a response: neither a row, nor its key in a cursor. It is read on until the page is full, and
# one row further, so that a cursor says no more than that there is another own row.

MOST_READS: Final = 10

TOO_FEW: Final = "Too little of this list is at your places to find it. Ask for less of it, or for what it is about."


def rows_at(places: Places, subject_of: Callable[[Item], str], time_of: Callable[[Item], str]) -> ReadRows:
    """Return a reader of the rows of subjects at the places, since their present owners have them.

    time_of: a row -> the time (fixed-width UTC) that it is of. Of each subject it is asked once.
    """
    stays: dict[str, Stay] = {}

    def own_of(rows: Sequence[Item]) -> Iterable[Item]:
        subjects = [subject_of(row) for row in rows]
        stays.update(stays_of([*dict.fromkeys(one for one in subjects if one not in stays)]))
        of_subjects = zip(rows, subjects, strict=True)
        return [row for row, subject in of_subjects if stays[subject].is_at(places, time_of(row))]

    return _rows_among(own_of)


def rows_since(since: str, time_of: Callable[[Item], str]) -> ReadRows:
    """Return a reader of the rows of a time and later (fixed-width UTC)."""
    return _rows_among(lambda rows: [row for row in rows if time_of(row) >= since])


def _rows_among(own_of: Callable[[Sequence[Item]], Iterable[Item]]) -> ReadRows:
    """Return a reader of those of the rows of a list that `own_of` leaves."""

    def read(table: Table, query: KeyQuery, *, scope: Scope, limit: int, cursor: str | None) -> Rows:
        own: list[Item] = []
        start, at_once = start_of(table, query, scope=scope, cursor=cursor), limit + 1
        for _ in range(MOST_READS):
            page = read_rows_from(start, table, query, limit=at_once)
            own += own_of(page.items)
            start, at_once = page.last_key, MAX_LIMIT
            if start is None or len(own) > limit:
                break
        return page_of(own, table, query, limit=limit, is_end=start is None)

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

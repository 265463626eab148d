"""Whereabouts of subjects, by the view that `Project.whereabouts` names: for packages that do not own the subjects.

It is read for callers who are limited to places, and for nobody else. A view lags: for a second or so after a move the
rights of the place before hold.
"""

import os
from collections.abc import Sequence
from functools import cache, partial
from itertools import chain
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import MOST_READ_AT_ONCE, Table
from andon.dynamodb.schema import Keys
from andon.http.places import Stay, names_of
from andon.project import Whereabouts, project
from andon.wire.in_parallel import in_parallel

NOWHERE: Final = Stay()


def stay_of(subject: str) -> Stay:
    """Return the place of a subject; nowhere, if nobody knows."""
    declared = _declared()
    if declared is None:
        return NOWHERE
    table = _table(declared)
    return in_row(table.get(table.keys.of(subject)), declared)


def stays_of(subjects: Sequence[str]) -> dict[str, Stay]:
    """Return the places of some different subjects; a hundred are one request."""
    declared = _declared()
    if declared is None or not subjects:
        return dict.fromkeys(subjects, NOWHERE)
    table = _table(declared)
    keys = [table.keys.of(subject) for subject in subjects]
    chunks = [keys[first : first + MOST_READ_AT_ONCE] for first in range(0, len(keys), MOST_READ_AT_ONCE)]
    rows = chain.from_iterable(in_parallel([partial(table.get_many, chunk) for chunk in chunks]))
    return {one: in_row(row, declared) for one, row in zip(subjects, rows, strict=True)}


def in_row(row: Item | None, declared: Whereabouts) -> Stay:
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

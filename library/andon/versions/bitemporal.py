"""The two times of a revision: since when it is so, and since when it is known.

A revision is recorded at its `timestamp`, and says what is so from its `validFrom` on: the same time, unless somebody
recorded it late. It replaces all that was recorded before, as far as its own validity reaches. So what was so at
`as_of`, as known at `known_at`, is the newest revision that was recorded until then and is valid from `as_of` or
before.

Of two revisions the newer one has the higher version. Their times may be equal, if one of them was made on the other
side of a sync: on one side, times strictly increase. An index has no order within equal sort keys.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery, LessThan

if TYPE_CHECKING:
    from andon.dynamodb.attribute_values import Item

AT_ONE_TIME: Final = 2
"""Revisions that may have one time: one of each side of a sync."""

PAGE: Final = 1000  # DynamoDB returns at most 1 MB of them


class Asked(NamedTuple):
    """Two times to ask for: the state at one, as known at another; epoch milliseconds."""

    as_of_ms: int
    known_at_ms: int


class Timeline(NamedTuple):
    """The indexes of one thing's revisions by time.

    recorded: the query of all of them, by `timestamp`. corrections: of those that were recorded late, by `validFrom`.
    """

    table: Table
    recorded: KeyQuery
    corrections: KeyQuery


def revision_at(timeline: Timeline, at: Asked) -> "Item | None":
    """Return the revision that was so at one time, as known at another; None if there was none.

    It is one Query of two rows. Who asks what was so before it was known needs a second one, of the few corrections.
    """
    # No range from 0: there are times before 1970, and DynamoDB refuses a range that ends before it begins.
    recorded = timeline.recorded._replace(sort=LessThan(min(at) + 1))  # all of them are valid then
    found = timeline.table.query(recorded, limit=AT_ONE_TIME).items
    if at.known_at_ms > at.as_of_ms:
        late = _rows(timeline.table, timeline.corrections._replace(sort=LessThan(at.as_of_ms + 1)))
        found = [*found, *(row for row in late if row["timestamp"] <= at.known_at_ms)]
    return max(found, key=_version, default=None)


def _version(row: "Item") -> Any:  # noqa: ANN401  a number
    return row["version"]


def _rows(table: Table, query: KeyQuery) -> Iterator["Item"]:
    start: Item | None = None
    while True:
        page = table.query(query, limit=PAGE, start=start)
        yield from page.items
        start = page.last_key
        if start is None:
            return

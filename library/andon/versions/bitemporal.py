"""The two times of a revision: since when it is so, and since when it is known.

A revision is recorded at its `timestamp`, and says what is so from its `validFrom` on: the same time, unless somebody
recorded it late. It replaces all that was recorded before, as far as its own validity reaches. So what was so at
`as_of`, as known at `known_at`, is the newest revision that was recorded until then and is valid from `as_of` or
before.

Of two revisions the newer one has the higher version. Their times may be equal, if one of them was made on the other
side of a sync: on one side, times strictly increase. An index has no order within equal sort keys.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Between, KeyQuery, LessThan
from andon.runtime.errors import Conflict

if TYPE_CHECKING:
    from andon.dynamodb.attribute_values import Item

AT_ONE_TIME: Final = 2
"""Revisions that may have one time: one of each side of a sync."""

FEW: Final = 100
"""Corrections that are read at once, which nearly every thing has less of; and revisions, if it has more."""

MOST_CORRECTIONS: Final = 300
"""Corrections that are read for one answer: whoever may write could make any number."""

TOO_MANY: Final = (
    "It was corrected too often since to say what was so then. Ask with a `knownAt` before the corrections, "
    "or read its versions."
)


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

    It is one Query of two rows. Who asks what was so before it was known needs a second one, of the few corrections. If
    these are many, the newest revisions tell, unless many of them are none: then corrections are read, up to a bound.

    Raises:
        Conflict: there are more corrections than that.

    """
    # No range from 0: there are times before 1970, and DynamoDB refuses a range that ends before it begins.
    recorded = timeline.recorded._replace(sort=LessThan(min(at) + 1))  # all of them are valid then
    found = timeline.table.query(recorded, limit=AT_ONE_TIME).items
    if at.known_at_ms > at.as_of_ms:
        found = [*found, *_corrections(timeline, at)]
    return max(found, key=_version, default=None)


def _corrections(timeline: Timeline, at: Asked) -> list["Item"]:
    """Return corrections, the newest among them, that are valid at a time and were recorded by another."""
    query = timeline.corrections._replace(sort=LessThan(at.as_of_ms + 1))
    page = timeline.table.query(query, limit=FEW)
    late = page.items
    if page.last_key is not None and (newest := _newest_valid(timeline, at)) is not None:
        return newest
    while page.last_key is not None:
        if len(late) >= MOST_CORRECTIONS:
            raise Conflict(TOO_MANY)
        page = timeline.table.query(query, limit=MOST_CORRECTIONS - len(late), start=page.last_key)
        late = [*late, *page.items]
    return [row for row in late if row["timestamp"] <= at.known_at_ms]


def _newest_valid(timeline: Timeline, at: Asked) -> list["Item"] | None:
    """Return the newest corrections that are valid, by the newest revisions; None if these do not tell."""
    since = timeline.recorded._replace(sort=Between(at.as_of_ms + 1, at.known_at_ms))
    page = timeline.table.query(since, limit=FEW)
    # One of the same time as the last may be on the next page.
    whole = page.items if page.last_key is None else page.items[: 1 - AT_ONE_TIME]
    valid = [row for row in whole if row["validFrom" if "validFrom" in row else "timestamp"] <= at.as_of_ms]
    return valid if valid or page.last_key is None else None


def _version(row: "Item") -> Any:  # noqa: ANN401  a number
    return row["version"]

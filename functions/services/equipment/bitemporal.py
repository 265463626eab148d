"""What was so at one time, as it was known at another: the two times of a revision.

A revision is recorded at its `timestamp`, and says what is so from its `validFrom` on: the same time, unless somebody
recorded it late. It replaces all that was recorded before, as far as its own validity reaches. So what was so at
`as_of`, as known at `known_at`, is the newest revision that was recorded until then and is valid from `as_of` or
before.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from contract import times
from patterns.dynamodb.client import Table
from patterns.dynamodb.key_query import KeyQuery, LessThan
from services.equipment.metadata import EquipmentRow
from services.equipment.tables import CORRECTIONS, HISTORY_BY_TIME, partition_of

if TYPE_CHECKING:
    from patterns.dynamodb.attribute_values import Item

END_OF_TIME_MS: Final = times.to_ms("9999-12-31T23:59:59.999Z")
PAGE: Final = 1000  # DynamoDB returns at most 1 MB of them


class Asked(NamedTuple):
    """What was so at one time, as known at another; epoch milliseconds."""

    as_of_ms: int
    known_at_ms: int


def asked(as_of: str | None, known_at: str | None) -> Asked:
    """Return the times that a request asks for; one that it leaves out is no bound."""
    return Asked(*(END_OF_TIME_MS if time is None else times.to_ms(time) for time in (as_of, known_at)))


def revision_at(table: Table, equipment_id: str, at: Asked) -> EquipmentRow | None:
    """Return the revision that was so at one time, as known at another; None if there was none.

    It is one Query of one row. Who asks what was so before it was known needs a second one, of the few corrections.
    """
    newest = next(_rows(table, recorded_until(equipment_id, min(at)), limit=1), None)
    if at.known_at_ms <= at.as_of_ms:
        return newest
    late = _rows(table, corrections_valid_at(equipment_id, at.as_of_ms), limit=PAGE)
    known = [row for row in late if row["timestamp"] <= at.known_at_ms]
    return max([*known, *([newest] if newest else [])], key=lambda row: row["timestamp"], default=None)


def recorded_until(equipment_id: str, at_ms: int) -> KeyQuery:
    """Return the query of the revisions that were recorded until then, newest first; all of them are valid then."""
    # No range from 0: there are times before 1970, and DynamoDB refuses a range that ends before it begins.
    sort = LessThan(at_ms + 1)
    return KeyQuery(keys=HISTORY_BY_TIME, index_name="ByTime", partition=partition_of(equipment_id), sort=sort)


def corrections_valid_at(equipment_id: str, at_ms: int) -> KeyQuery:
    """Return the query of the revisions that were recorded late and are valid from then or before."""
    sort = LessThan(at_ms + 1)
    return KeyQuery(keys=CORRECTIONS, index_name="Corrections", partition=partition_of(equipment_id), sort=sort)


def _rows(table: Table, query: KeyQuery, *, limit: int) -> Iterator[EquipmentRow]:
    start: Item | None = None
    while True:
        page = table.query(query, limit=limit, start=start)
        yield from cast("list[EquipmentRow]", page.items)
        start = page.last_key
        if start is None:
            return

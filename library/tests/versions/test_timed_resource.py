"""Laws of what has a time of its own: however late, doubled or contradictory it comes, each time has its first row."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import Between
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.change_data_capture import events_of
from andon.events.fact import Change
from andon.runtime import times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.runtime.marks import NotRequired
from andon.testing.examples import ON_TABLES
from andon.testing.world import World
from andon.versions.aggregate import aggregates_of, contradictions
from andon.versions.declared import facts_of, kept
from andon.versions.owned import grants_of, tables_of
from andon.versions.timed_resource import BEFORE_ALL, BEHIND_ALL, TimedResource
from toys.clock import NOW

DAYS: Final = 30
KEYS: Final = Keys("meterId", "timestamp", one_partition_per="entity")
_numbers = count(1)


class Reading(TypedDict):
    """A reading."""

    value: float
    note: NotRequired[str]


class ReadingEntity(Reading):
    """Its entity."""

    meterId: str
    timestamp: str


READINGS: Final[TimedResource[ReadingEntity]] = TimedResource(
    service="readings",
    kind="reading",
    content=Reading,
    entity=ReadingEntity,
    id=("meterId", "timestamp"),
    table=Table("READINGS_TABLE", KEYS),
    key_of=KEYS.of,
    fact="reading-taken",
    days=DAYS,
    missing="There is none.",
)


@pytest.fixture(scope="module")
def readings() -> Iterator[World]:
    with World({"READINGS_TABLE": TableSchema(KEYS, stream=True)}) as world:
        yield world


def utc(minute: int) -> str:
    return times.to_utc(NOW - minute * MINUTE_MS)


def listed(meter: str) -> list[object]:
    page = READINGS.table.query(READINGS.rows_of(meter, Between(BEFORE_ALL, BEHIND_ALL)), limit=100)
    return [READINGS.to_response(row) for row in page.items]


SAID: Final = st.fixed_dictionaries({"value": st.sampled_from([1.5, 2.0])}, optional={"note": st.just("late")})


@given(came=st.lists(st.tuples(st.integers(0, 4), SAID), max_size=12))
@ON_TABLES
def test_each_time_has_one_row_and_one_fact_which_says_what_came_first(
    readings: World, came: list[tuple[int, Reading]]
) -> None:
    meter, first = f"meter-{next(_numbers)}", dict[int, Reading]()
    readings.new_records("READINGS_TABLE")
    for minute, said in came:
        is_new = minute not in first
        if not is_new and first[minute] != said:
            with pytest.raises(Conflict, match="Another reading of this time"):
                READINGS.keep((meter, utc(minute)), {**said}, actor="ann", now_ms=NOW)
            continue
        found = READINGS.keep((meter, utc(minute)), {**said}, actor="ann", now_ms=NOW)
        first.setdefault(minute, said)
        assert found.created == is_new

    whole = [{"meterId": meter, "timestamp": utc(minute), **said} for minute, said in first.items()]
    records: Any = readings.new_records("READINGS_TABLE")
    events = [*events_of(records, facts=facts_of("readings", READINGS), tags={}).values()]
    assert [event.entities["reading"] for event in events] == whole
    assert [event.timestamp_ms for event in events] == [NOW - minute * MINUTE_MS for minute in first]
    assert listed(meter) == sorted(whole, key=lambda one: str(one["timestamp"]), reverse=True)
    assert [READINGS.to_response(READINGS.at((meter, utc(minute)), now_ms=NOW)) for minute in first] == whole


@pytest.mark.parametrize(
    ("minutes", "is_taken"),
    [(-6, False), (-5, True), (DAYS * 24 * 60 - 1, True), (DAYS * 24 * 60, False)],
)
@pytest.mark.usefixtures("readings")
def test_a_time_ahead_of_the_clock_or_that_has_expired_is_refused_and_leaves_nothing(
    minutes: int, *, is_taken: bool
) -> None:
    meter = f"meter-{next(_numbers)}"
    if is_taken:
        READINGS.keep((meter, utc(minutes)), {"value": 1.5}, actor="ann", now_ms=NOW)
    else:
        with pytest.raises(Invalid) as refused:
            READINGS.keep((meter, utc(minutes)), {"value": 1.5}, actor="ann", now_ms=NOW)
        assert [name for name, _ in refused.value.fields] == ["path.timestamp"]

    assert len(listed(meter)) == is_taken


@pytest.mark.usefixtures("readings")
def test_it_is_gone_with_its_days_and_that_is_no_fact() -> None:
    id_ = f"meter-{next(_numbers)}", utc(0)
    row = READINGS.keep(id_, {"value": 1.5}, actor="ann", now_ms=NOW).row

    assert READINGS.at(id_, now_ms=NOW + DAYS * DAY_MS - 1000) == row
    with pytest.raises(NotFound):
        READINGS.at(id_, now_ms=NOW + DAYS * DAY_MS)
    assert READINGS.fact_of(Change("REMOVE", row, None)) is None


def test_its_table_its_versioning_and_its_rights_follow() -> None:
    assert tables_of(READINGS) == {"READINGS_TABLE": TableSchema(KEYS, stream=True, expires=True)}
    assert [*contradictions(aggregates_of(READINGS)["reading"])] == []
    assert (kept(READINGS), grants_of(READINGS)) == ({}, {})

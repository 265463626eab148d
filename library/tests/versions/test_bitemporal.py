"""Two revisions of one time: one of each side of a sync. An index has no order among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.runtime.errors import Conflict
from andon.testing.memory.aws import AwsInMemory
from andon.testing.wire import Wire
from andon.versions import bitemporal
from andon.versions.bitemporal import Asked, Timeline, revision_at

KEYS = Keys("pk", "sk", one_partition_per="entity")
BY_TIME = Keys("pk", "timestamp", sort_type="N", one_partition_per="entity")
CORRECTIONS = Keys("pk", "validFrom", sort_type="N", one_partition_per="entity")
SCHEMA = TableSchema(KEYS, indexes={"ByTime": Index(BY_TIME), "Corrections": Index(CORRECTIONS)})

TABLE = Table("REVISIONS_TABLE", KEYS)
TIMELINE = Timeline(
    TABLE,
    recorded=KeyQuery(keys=BY_TIME, index_name="ByTime", partition="press"),
    corrections=KeyQuery(keys=CORRECTIONS, index_name="Corrections", partition="press"),
)

LATER = 10**12


@pytest.mark.parametrize("places", ["ab", "ba"])
@pytest.mark.parametrize("valid_from", [{}, {"validFrom": 5}], ids=["recorded at once", "recorded late"])
def test_of_two_revisions_of_one_time_the_higher_one_is_later(places: str, valid_from: dict[str, int]) -> None:
    with AwsInMemory({"REVISIONS_TABLE": SCHEMA}):
        TABLE.put({"pk": "press", "sk": "0", "version": 1, "timestamp": 1}, condition=TABLE.absent)
        for version, place in enumerate(places, start=2):
            row = {"pk": "press", "sk": place, "version": version, "timestamp": 9, **valid_from}
            TABLE.put(row, condition=TABLE.absent)

        asked = [(0, LATER), (1, LATER), (5, LATER), (9, LATER), (LATER, 9), (LATER, 8)]
        found = [revision_at(TIMELINE, Asked(*at)) for at in asked]

    assert [row and row["version"] for row in found] == [None, 1, 3 if valid_from else 1, 3, 3, 1]


def put(version: int, at: int, valid_from: int | None = None) -> None:
    """Record a revision; of two of one time, an index has the lower one first."""
    row = {"pk": "press", "sk": f"{10**9 - version}", "version": version, "timestamp": at}
    late = {} if valid_from is None else {"validFrom": valid_from}
    TABLE.put({**row, **late}, condition=TABLE.absent)


def version_at(as_of: int, known_at: int) -> int | None:
    row = revision_at(TIMELINE, Asked(as_of, known_at))
    return row["version"] if row else None


@given(
    steps=st.lists(st.tuples(st.integers(0, 2), st.none() | st.integers(0, 30)), min_size=1, max_size=15),
    asked=st.tuples(st.integers(0, 30), st.integers(0, 30)),
)
def test_however_many_corrections_there_are_the_answer_is_that_of_all_revisions(
    steps: list[tuple[int, int | None]], asked: tuple[int, int]
) -> None:
    rows, at, last = list[tuple[int, int, int]](), 1, [1, 0]
    with pytest.MonkeyPatch.context() as patched, AwsInMemory({"REVISIONS_TABLE": SCHEMA}):
        patched.setattr(bitemporal, "FEW", 3)
        for version, (later, valid_from) in enumerate(steps, start=1):
            last = [at, last[1] + 1] if later == 0 else [at + later, 1]
            at = last[0] if last[1] <= bitemporal.AT_ONE_TIME else at + 1
            last = [at, last[1] if last[1] <= bitemporal.AT_ONE_TIME else 1]
            late = valid_from if valid_from is not None and valid_from < at else None
            put(version, at, late)
            rows.append((version, at, at if late is None else late))
        found = version_at(*asked)

    as_of, known_at = asked
    assert found == max((one for one, made, valid in rows if made <= known_at and valid <= as_of), default=None)


def test_a_thousand_corrections_cost_three_queries() -> None:
    with AwsInMemory({"REVISIONS_TABLE": SCHEMA}), Wire(("dynamodb",)) as wire:
        put(1, 1)
        for version in range(2, 1202):
            put(version, 1000 + version, valid_from=5)
        wire.requests.clear()

        assert version_at(10, LATER) == 1201
        assert len(wire.requests) == 3
        assert sum(request.parameters["Limit"] for request in wire.requests) < 250


def test_the_higher_of_two_newest_corrections_may_be_on_the_next_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitemporal, "FEW", 3)
    with AwsInMemory({"REVISIONS_TABLE": SCHEMA}):
        for version, at in enumerate((1001, 1002, 1003, 1004, 1005, 1005), start=1):
            put(version, at, valid_from=1)
        for version in (7, 8):
            put(version, 1000 + version)

        assert version_at(10, LATER) == 6


def test_corrections_behind_many_changes_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitemporal, "FEW", 3)
    monkeypatch.setattr(bitemporal, "MOST_CORRECTIONS", 6)
    with AwsInMemory({"REVISIONS_TABLE": SCHEMA}):
        for version in range(1, 7):
            put(version, 1000 + version, valid_from=version)
        for version in range(7, 20):
            put(version, 1000 + version)
        assert [version_at(as_of, LATER) for as_of in (3, 5)] == [3, 5]

        put(20, 1020, valid_from=1)
        for version in range(21, 30):
            put(version, 1000 + version)

        with pytest.raises(Conflict, match="corrected too often"):
            version_at(7, LATER)
        assert version_at(7, 500) is None

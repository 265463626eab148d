from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain
from andon.runtime.errors import Poison, PreconditionRequired, Stale
from andon.testing.wire import Wire
from andon.versions.numbered_versions import (
    MAX_VERSION,
    Numbered,
    all_current,
    count_up,
    is_current,
    keep,
    save_current,
    versions_of,
)
from andon.versions.versioned_write import save
from toys.archive import CURRENT, Archive, Crash, crash_after
from toys.clock import NOW
from toys.things import painting

_names = count(1)

# The last of as many digits, and what follows it.
CARRIES = [9, 10, 99, 100, 999_999_998, MAX_VERSION]

Layout = Callable[..., Numbered[Any]]
Row = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


def apart(owner: str, part: str = "door") -> Numbered[Any]:
    """Keep revisions in a partition of their own."""
    mark = {"discriminator": "audit-revision"}
    return Numbered(table=CURRENT, partition=owner, name=f"Audit#{part}", apart=True, attributes=mark)


def together(owner: str) -> Numbered[Any]:
    """Keep all versions in one partition, as the developer guide draws it."""
    return Numbered(table=CURRENT, partition=owner, name="Audit")


LAYOUTS = pytest.mark.parametrize("layout", [apart, together], ids=["apart", "together"])


@pytest.fixture
def owner() -> str:
    return f"Press#{next(_names)}"


def latest(thing: Numbered[Any]) -> Row | None:
    return CURRENT.get(thing.current_key())


def history(thing: Numbered[Any]) -> list[int]:
    """Read the numbers of all versions, newest first, two at a time."""
    numbers: list[int] = []
    page = CURRENT.query(thing.history(), limit=2)
    numbers += [row["version"] for row in page.items]
    while page.last_key:
        page = CURRENT.query(thing.history(), limit=2, start=page.last_key)
        numbers += [row["version"] for row in page.items]
    return numbers


@LAYOUTS
@given(st.lists(st.integers(min_value=1, max_value=MAX_VERSION), min_size=2, max_size=2))
def test_keys_are_ordered_as_their_numbers_and_the_current_one_is_last(layout: Layout, numbers: list[int]) -> None:
    thing = layout("Press#7")
    one, other = (str(thing.key_of(number)["sk"]).encode() for number in numbers)

    assert (one < other) == (numbers[0] < numbers[1])
    assert max(one, other) < str(thing.current_key()["sk"]).encode()


@LAYOUTS
def test_the_history_is_one_query_newest_first_over_every_carry_current_excluded(layout: Layout, owner: str) -> None:
    thing = layout(owner)
    for version in CARRIES:
        keep(thing, {**thing.current_key(), "latest": version, "result": "passed"})
    count_up(thing, {"result": "failed"})

    with Wire() as wire:
        rows = CURRENT.query(thing.history(), limit=100).items

    assert [row["version"] for row in rows] == [*reversed(CARRIES), 1]
    assert wire.operations == ["Query"]
    assert wire.requests[0].answer["ScannedCount"] == len(rows)
    assert [row["version"] for row in CURRENT.query(thing.history(10, 100), limit=9).items] == [100, 99, 10]


def test_parts_count_on_their_own_and_their_latest_are_one_query(owner: str) -> None:
    door, roof = apart(owner, "door"), apart(owner, "roof")
    for thing in (door, roof, door, door):
        count_up(thing, {"result": "passed"})
    count_up(Numbered(table=CURRENT, partition=owner, name="Auditor"), {"result": "another kind"})

    rows = CURRENT.query(all_current(CURRENT, owner, "Audit"), limit=100).items

    assert [(row["sk"], row["latest"]) for row in rows] == [("v0_Audit#door", 3), ("v0_Audit#roof", 1)]
    assert (history(door), history(roof)) == ([3, 2, 1], [1])


@pytest.mark.parametrize("version", [0, -1, MAX_VERSION + 1])
def test_a_number_that_would_sort_elsewhere_is_no_version(version: int) -> None:
    with pytest.raises(ValueError, match="from 1 to"):
        together("Press#7").key_of(version)


# The three writers


@LAYOUTS
def test_in_a_transaction_current_and_revision_are_written_together(layout: Layout, owner: str) -> None:
    thing = layout(owner)

    save(versions_of(thing), painting("it", "red"))
    save(versions_of(thing), painting("it", "green", if_match=1, now_ms=NOW + 1))

    assert history(thing) == [2, 1]
    row = latest(thing) or {}
    assert (row["colour"], row["version"], row["latest"]) == ("green", 2, 2)


@LAYOUTS
@pytest.mark.parametrize("if_match", [MAX_VERSION, 10**14])
def test_an_if_match_beyond_the_last_number_is_stale(layout: Layout, owner: str, if_match: int) -> None:
    thing = layout(owner)
    save(versions_of(thing), painting("it", "red"))

    with pytest.raises(Stale):
        save(versions_of(thing), painting("it", "green", if_match=if_match))

    assert history(thing) == [1]


def test_revisions_apart_lie_in_a_partition_that_is_named_by_thing_and_owner() -> None:
    assert apart("Press#7").key_of(3) == {"pk": "Audit#door#Press#7", "sk": "v0000000003_Audit#door"}
    assert together("Press#7").key_of(3) == {"pk": "Press#7", "sk": "v0000000003_Audit"}


@LAYOUTS
def test_the_counter_refuses_nobody_and_numbers_them_without_gap_or_double(layout: Layout, owner: str) -> None:
    thing = layout(owner)

    rows = [count_up(thing, {"result": f"number {number}"}) for number in range(1, 13)]

    assert [row["latest"] for row in rows] == list(range(1, 13))
    assert history(thing) == list(range(12, 0, -1))
    kept = CURRENT.get(thing.key_of(7))
    assert kept is not None
    assert kept == {**thing.attributes, **thing.key_of(7), "version": 7, "result": "number 7"}


def test_the_counter_has_two_requests_and_takes_off_what_a_version_does_not_say(owner: str) -> None:
    thing = apart(owner)
    count_up(thing, {"result": "failed", "notes": "the door sticks"})

    with Wire() as wire:
        row = count_up(thing, {"result": "passed", "notes": None})

    assert wire.operations == ["UpdateItem", "PutItem"]
    assert "ConditionExpression" not in wire.requests[0].parameters
    assert "notes" not in row
    assert ["notes" in (CURRENT.get(thing.key_of(number)) or {}) for number in (1, 2)] == [True, False]


@LAYOUTS
@pytest.mark.parametrize("calls", [1, 2])
def test_a_crash_of_the_counter_leaves_a_gap_at_most_and_a_retry_counts_again(
    layout: Layout, owner: str, calls: int
) -> None:
    thing = layout(owner)
    count_up(thing, {"result": "passed"})
    with crash_after(calls), pytest.raises(Crash):
        count_up(thing, {"result": "failed"})

    assert ((latest(thing) or {})["latest"], (latest(thing) or {})["result"]) == (2, "failed")
    assert history(thing) == ([1] if calls == 1 else [2, 1])

    count_up(thing, {"result": "failed"})

    assert history(thing) == ([3, 1] if calls == 1 else [3, 2, 1])


@LAYOUTS
def test_a_gap_can_be_closed_while_its_version_is_the_current_one(layout: Layout, owner: str) -> None:
    thing = layout(owner)
    with crash_after(1), pytest.raises(Crash):
        count_up(thing, {"result": "failed"})

    assert [keep(thing, latest(thing) or {}) for _ in range(2)] == [True, False]

    assert history(thing) == [1]
    assert (CURRENT.get(thing.key_of(1)) or {})["result"] == "failed"


@LAYOUTS
def test_what_the_stream_tells_however_often_becomes_the_history(archive: Archive, layout: Layout, owner: str) -> None:
    thing = layout(owner)
    for version, colour in enumerate(["red", "green", "blue"]):
        save_current(thing, painting("it", colour, if_match=version or None, now_ms=NOW + version))
    assert history(thing) == []

    told = list(changes_of(archive, thing))
    kept = [keep(thing, row) for row in told]
    again = [keep(thing, row) for row in told]

    assert (kept, again) == ([True] * 3, [False] * 3)
    assert history(thing) == [3, 2, 1]
    assert (CURRENT.get(thing.key_of(2)) or {})["colour"] == "green"
    assert not list(changes_of(archive, thing)), "a revision was taken for a current row"


def test_the_stream_derived_way_has_the_optimistic_lock_in_one_request(owner: str) -> None:
    thing = apart(owner)
    with Wire() as wire:
        first = save_current(thing, painting("it", "red"))
    again = save_current(thing, painting("it", "red"))

    with pytest.raises(PreconditionRequired):
        save_current(thing, painting("it", "green"))
    with pytest.raises(Stale):
        save_current(thing, painting("it", "green", if_match=2))

    assert wire.operations == ["PutItem"]
    assert first.created
    assert again.created
    assert (latest(thing) or {})["latest"] == 1


def test_a_number_that_says_something_else_already_is_never_written_over(owner: str) -> None:
    thing = apart(owner)
    row = count_up(thing, {"result": "passed"})

    with pytest.raises(Poison):
        keep(thing, {**row, "result": "failed"})

    assert (CURRENT.get(thing.key_of(1)) or {})["result"] == "passed"


def changes_of(archive: Archive, thing: Numbered[Any]) -> Iterator[Row]:
    """Yield the current rows that are new in the stream since the last call."""
    while records := archive.new_records("CURRENT_TABLE"):
        for record in records:
            row = to_plain(record["dynamodb"].get("NewImage", {}))
            if is_current(thing, row) and "latest" in row:  # moto publishes a row once before it is filled
                yield row

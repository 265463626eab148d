"""A view in objects is the same whatever order, duplicate, batch, crash or race its events meet."""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import MAX_DEPTH
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.convergence import Story, converges
from andon.testing.crash_points import (
    INTERRUPTIONS,
    Breaking,
    Interruption,
    broken_at_every_call,
    calls_of,
    intruding,
)
from andon.testing.environment import frozen_clock
from andon.testing.examples import ON_TABLES
from andon.testing.memory.hook import Answer, Call
from andon.testing.memory.one_bucket import OneBucket
from andon.testing.orders import cut_into_batches
from andon.views import object_table
from andon.views.object_table import ATTEMPTS
from andon.views.outcome import Outcome
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import ViewUpdates
from toys.clock import NOW
from toys.shelves import DAY, KEYS, ON, SHELVES, TTL_DAYS, VIEW, bodies, deliver, lent, on_put, put, shown

S3: Final = ("s3",)
NAMES: Final = st.text(st.sampled_from("a.-/%Ä#+ ~"), min_size=1, max_size=4)

MOVES: Final[Story] = (
    put("emma", "a", at=NOW - 4 * DAY_MS, by="Bob"),
    put("emma", "b", "a", at=NOW - 3 * DAY_MS),
    put("emma", "c", "b", at=NOW - 2 * DAY_MS, by="Ada"),
    put("ulysses", "b", at=NOW - 1 * DAY_MS),
)
BACK: Final[Story] = (
    put("emma", "a", at=NOW - 3 * DAY_MS, id="first"),
    put("emma", "b", "a", at=NOW - 2 * DAY_MS),
    put("emma", "a", "b", at=NOW - 1 * DAY_MS, id="back"),
    lent("emma", "a", "Liz", at=NOW - 1 * DAY_MS),
)
MOVED, RETURNED = "a book goes from shelf to shelf", "a book comes back"
STORIES: Final = {MOVED: MOVES, RETURNED: BACK}
SHELVES_OF_MOVES: Final = ("a", "b", "c")


@pytest.fixture(name="memory")
def memory_of_test() -> Iterator[OneBucket]:
    with OneBucket(SHELVES) as memory, frozen_clock(NOW):
        yield memory


@pytest.mark.parametrize("story", STORIES)
def test_a_view_in_objects_is_the_same_whatever_order_duplicate_batch_crash_or_delay(story: str) -> None:
    assert converges(VIEW, STORIES[story], limit=4, walks=10) >= 100


@pytest.mark.parametrize("story", STORIES)
def test_every_order_ends_in_the_same_bytes(memory: OneBucket, story: str) -> None:
    ends = set()
    for order in permutations(STORIES[story]):
        memory.clear()
        for event in order:
            assert deliver(event) == []
        ends.add(tuple(sorted(bodies(memory).items())))

    assert len(ends) == 1


@pytest.mark.parametrize("story", STORIES)
def test_a_book_is_where_its_newest_event_says_and_nowhere_else(memory: OneBucket, story: str) -> None:
    assert deliver(*reversed(STORIES[story])) == []

    where = {(row["book"], shelf) for shelf, rows in shown().items() for row in rows}
    assert where == ({("emma", "c"), ("ulysses", "b")} if story == MOVED else {("emma", "a")})
    assert memory.bus == []


def test_a_tombstone_refuses_what_is_older_as_long_as_that_may_come(memory: OneBucket) -> None:
    left, older = put("emma", "b", "a", at=NOW - DAY_MS), put("emma", "a", at=NOW - 2 * DAY_MS)
    deliver(left)

    with frozen_clock(NOW + 8 * DAY_MS - 1000):  # the older one would expire on arrival from the next second on
        deliver(older)
        assert shown(now_ms=NOW + 8 * DAY_MS - 1000).keys() == {"b"}
    with frozen_clock(NOW + 9 * DAY_MS):
        deliver(put("ulysses", "a", at=NOW + 9 * DAY_MS))  # whoever writes an object forgets what has expired in it
        assert b"emma" not in bodies(memory)[SHELVES.name_of(("a", DAY))]


def test_a_batch_reads_and_writes_each_object_once(memory: OneBucket) -> None:
    batch = [put(f"book {number}", "a", at=NOW - number) for number in range(50)]

    assert sorted(calls_of(lambda: deliver(*batch), services=S3)) == ["GetObject", "PutObject"]
    assert len(shown()["a"]) == len(batch)
    assert calls_of(lambda: deliver(*batch), services=S3) == ["GetObject"], "a duplicate writes nothing"
    assert memory.bus == []


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_what_a_crash_leaves_out_the_retry_writes(memory: OneBucket, interruption: Interruption) -> None:
    expected = ended_in(memory, [MOVES])

    def run(breaking: Breaking) -> dict[str, bytes]:
        memory.clear()
        breaking.insist(lambda: deliver(*MOVES))
        deliver(*MOVES)
        return bodies(memory)

    broken = [*broken_at_every_call(interruption, run, services=S3)]
    assert len(broken) == 2 * len(SHELVES_OF_MOVES)
    assert all(end == expected for _, end in broken)


@pytest.mark.parametrize("mine", MOVES, ids=lambda event: event.id)
def test_of_two_writers_none_is_lost_wherever_the_other_one_comes_between(memory: OneBucket, mine: DomainEvent) -> None:
    others = [event for event in MOVES if event is not mine]
    expected = ended_in(memory, [MOVES])
    for number in range(1, 10):
        memory.clear()
        with intruding(number, lambda: deliver(*others)) as calls:
            assert deliver(mine) == []
        if len(calls) < number:
            assert number > 2
            return
        assert bodies(memory) == expected
    raise AssertionError("a writer that met another one once does not end")


@pytest.mark.parametrize("code", ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"])
def test_a_conflict_begins_again_some_times_and_then_the_message_comes_again(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(object_table, "pause", lambda _: None)
    refused = [code]

    def refuse(call: Call, make: Pass) -> Answer:
        if call.operation == "PutObject" and refused:
            raise CallFailed(refused.pop())
        return make()

    with between(refuse):
        assert deliver(put("emma", "a")) == []
        refused.extend([code] * ATTEMPTS)
        assert len(deliver(put("ulysses", "a"))) == 1
    assert [row["book"] for row in shown()["a"]] == ["emma"]
    assert memory.bus == []


@pytest.mark.usefixtures("memory")
def test_another_failure_of_s3_brings_the_message_again_and_its_neighbours_are_kept() -> None:
    def refuse(call: Call, make: Pass) -> Answer:
        if call.request.get("Key") == SHELVES.name_of(("b", DAY)):
            raise CallFailed("SlowDown")
        return make()

    with between(refuse):
        again = deliver(put("emma", "a"), put("ulysses", "b"), put("dubliners", "b", "a"))

    assert len(again) == 2
    assert [row["book"] for row in shown()["a"]] == ["emma"]


def test_what_can_succeed_in_one_object_only_comes_again_until_that_has_seen_it(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(call: Call, make: Pass) -> Answer:
        if call.request.get("Key") == SHELVES.name_of(("a", DAY)):
            raise CallFailed("SlowDown")
        return make()

    monkeypatch.setattr(object_table, "MOST_BYTES", 600)
    moved = put("emma", "b", "a", note="x" * 600)
    with between(refuse):
        assert len(deliver(moved)) == 1
    assert memory.bus == []

    assert deliver(moved) == []
    assert [entry["DetailType"] for entry in memory.bus] == ["fault"]


@pytest.mark.usefixtures("memory")
def test_what_changes_one_of_its_rows_is_applied_and_what_changes_none_is_not() -> None:
    def write(event: DomainEvent) -> Outcome:
        return on_put(event).write(SHELVES, event, ttl_days=TTL_DAYS, now_ms=NOW)

    first, second, third, _ = MOVES
    assert [write(event) for event in (third, second, second, first, third)] == [
        Outcome.APPLIED,
        Outcome.APPLIED,  # it is stale where it went to, and new where it came from
        Outcome.DUPLICATE,
        Outcome.STALE,
        Outcome.DUPLICATE,
    ]
    assert write(first._replace(timestamp_ms=NOW - 11 * DAY_MS)) is Outcome.EXPIRED


@pytest.mark.usefixtures("memory")
def test_what_is_put_where_it_stood_stays_there() -> None:
    deliver(put("emma", "a", "a", by="Ada"))

    assert shown() == {"a": [{"book": "emma", "by": "Ada"}]}


def test_what_makes_an_object_too_large_is_a_fault_and_its_neighbours_are_kept(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_table, "MOST_BYTES", 600)

    again = deliver(put("emma", "a"), put("ulysses", "a", note="x" * 600), put("dubliners", "a"))

    assert again == []
    assert [row["book"] for row in shown()["a"]] == ["dubliners", "emma"]
    assert [entry["DetailType"] for entry in memory.bus] == ["fault"]


@pytest.mark.parametrize(
    "keep",
    [
        lambda _: ViewUpdates(()),
        lambda _: ViewUpdate(key={"book": "emma"}, fields={}, oplock="put"),
        lambda _: ViewUpdate(key=KEYS.of("a", DAY, "emma"), fields={"x": float("nan")}, oplock="put"),
    ],
    ids=["no row", "half a key", "a value that no table takes"],
)
def test_an_update_that_can_never_be_written_is_a_fault_and_its_neighbours_are_kept(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch, keep: Callable[[DomainEvent], ViewUpdates]
) -> None:
    monkeypatch.setitem(ON, ("library", "book-lent"), keep)

    assert deliver(put("ulysses", "a"), lent("emma", "a", "Liz"), put("dubliners", "a")) == []
    assert [row["book"] for row in shown()["a"]] == ["dubliners", "ulysses"]
    assert [entry["DetailType"] for entry in memory.bus] == ["fault"]


def test_what_a_table_takes_is_read_again_however_deep_it_is(memory: OneBucket) -> None:
    deep: object = "here"
    for _ in range(MAX_DEPTH):
        deep = {"in": deep}
    SHELVES.update(
        KEYS.of("a", DAY, "emma"), assign={"deep": deep, "big": 10**30, "half": 0.5}, condition=UNCONDITIONAL
    )

    [row] = SHELVES.read(("a", DAY))
    assert (row["deep"], row["big"], row["half"]) == (deep, 10**30, 0.5)
    assert memory.bus == []


def test_a_replayed_message_that_can_never_be_written_is_no_second_fault(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_table, "MOST_BYTES", 10)

    assert deliver(put("emma", "a"), replay=Replay("again")) == []
    assert memory.bus == []


@pytest.mark.usefixtures("memory")
def test_a_rebuild_joins_facts_of_a_row_that_has_expired_until_a_later_one_keeps_it_alive() -> None:
    late = NOW + 2 * DAY_MS
    with frozen_clock(NOW - 9 * DAY_MS):
        deliver(put("emma", "a", at=NOW - 9 * DAY_MS, id="first"))
    with frozen_clock(late):
        deliver(lent("emma", "a", "Liz", at=NOW - 10 * DAY_MS), replay=Replay("again"))
        deliver(put("emma", "a", at=NOW, id="later"), replay=Replay("again"))

    assert shown(now_ms=late)["a"] == [{"book": "emma", "to": "Liz"}]


@settings(ON_TABLES)
@given(st.lists(st.tuples(NAMES, NAMES), unique=True, max_size=20))
def test_no_two_groups_have_one_object_and_none_lies_elsewhere(groups: list[tuple[str, str]]) -> None:
    names = {SHELVES.name_of(group) for group in groups}

    assert len(names) == len(groups)
    assert all(re.fullmatch(r"rows/[\w~%-]+/[\w~%-]+\.json", name) for name in names)
    with OneBucket(SHELVES) as memory:
        memory.store[SHELVES.variable].bodies = dict.fromkeys(names, b"")
        assert sorted(SHELVES.groups()) == sorted(groups)


def test_a_name_that_s3_does_not_take_is_a_fault(memory: OneBucket) -> None:
    assert deliver(put("emma", "ä" * 200)) == []
    assert [entry["DetailType"] for entry in memory.bus] == ["fault"]


@settings(ON_TABLES)
@given(events=st.lists(st.sampled_from([*MOVES, *BACK[:3]]), min_size=1, max_size=12), seed=st.integers(0, 99))
def test_equal_rows_are_equal_bytes(events: list[DomainEvent], seed: int) -> None:
    chance, ends = random.Random(seed), []  # noqa: S311  the same orders at every run
    with OneBucket(SHELVES) as memory, frozen_clock(NOW):
        for _ in range(2):
            memory.clear()
            chance.shuffle(events)
            for batch in cut_into_batches(chance, events, 5):
                deliver(*batch)
            ends.append(bodies(memory))

    assert ends[0] == ends[1]


def ended_in(memory: OneBucket, batches: Iterable[Story]) -> dict[str, bytes]:
    """Return the objects after some batches; forget them."""
    for batch in batches:
        assert deliver(*batch) == []
    end = bodies(memory)
    memory.clear()
    return end

"""Screened rules decide what a due time for each event decides: in every order, batch by batch, broken off or not."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.domain_event import DomainEvent
from andon.rules.control import control_changes
from andon.rules.control_service import Control
from andon.rules.due import shard_of
from andon.rules.micro_event_store import PAGE, STORED_WITHIN_MS, late_by
from andon.rules.plan import dues_of
from andon.rules.rule import Decision, History, Rule
from andon.rules.screen import MOST_BEHIND
from andon.rules.stored_event import EVENT, StoredEvent
from andon.rules.sweep import sweep
from andon.rules.timing import PASSED_OVER, Screened
from andon.testing.above_retries import Pass, between
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, calls_of
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.memory.aws import OneTable
from andon.testing.memory.hook import Call
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FACTS,
    FORGOTTEN,
    HOLD_BACK_MS,
    KEYS,
    KNOCKED,
    MINUTE_MS,
    SWEPT_MS,
    TABLE,
    VARIABLE,
    decide,
    is_mended,
    knocked,
    mended,
    on_happened,
    rules_of,
    thing_of,
)

NAME = "press"
THING = thing_of(NAME)
SHARD = shard_of(THING)


def even(history: History) -> Iterable[Decision]:
    """Decide at each second knock since the thing was mended: whatever comes between changes all that follows."""
    if sum(not is_mended(event) for event in history.events) % 2 == 0:
        yield decide("noisy", THING, str(history.anchor.timestamp_ms), *history.events[-2:])


def is_hard(event: DomainEvent) -> bool:
    """Return True if the rule is evaluated at this knock; the others count all the same."""
    return event.timestamp_ms % 3 != 0


EVEN = BROKEN._replace(id="even", when=is_hard, expression=even, emits=frozenset({"room-noisy"}))
PLAIN = (BROKEN, EVEN)
SCREENED = tuple(rule._replace(timing=Screened()) for rule in PLAIN)


def control_of(*rules: Rule, **members: Any) -> Control:  # noqa: ANN401
    return CONTROL._replace(**{"rules": rules_of(*rules), "remembers": {}, "context_of": lambda _: None, **members})


@dataclass(frozen=True, slots=True, order=True)
class Happening:
    """An event that arrives `after_ms` after it happened, and is stored `stored_ms` after that."""

    at_ms: int
    after_ms: int = 0
    stored_ms: int = 0
    mends: bool = False

    @property
    def event(self) -> DomainEvent:
        return mended(NAME, at=self.at_ms) if self.mends else knocked(NAME, at=self.at_ms)

    @property
    def arrived_ms(self) -> int:
        return self.at_ms + self.after_ms

    @property
    def put_ms(self) -> int:
        return self.arrived_ms + self.stored_ms


@dataclass(slots=True)
class Line:
    """Listeners, a trigger and a sweep over a table in memory; what is broken off is delivered again."""

    table: OneTable
    control: Control
    breaking: Breaking = field(default_factory=Breaking.nothing)
    records: list[dict[str, Any]] = field(default_factory=list)
    handled: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table.clear()

    def settle(self, happening: Happening) -> StoredEvent:
        """Return an event as a listener will store it, which has looked at what is newer."""
        one = on_happened(happening.event).stored(happening.event, arrived_ms=happening.arrived_ms)
        there = [StoredEvent.of(row, KEYS) for row in self.table.rows(THING) if row["discriminator"] == EVENT]
        return one._replace(late_by=late_by(one, there[::-1], hold_back_ms=HOLD_BACK_MS))

    def put(self, one: StoredEvent) -> None:
        TABLE.put(one.row(KEYS), condition=UNCONDITIONAL)
        self.records += [record for record in self.table.new_records() if is_event(record)]

    def react(self, now_ms: int, *, most: int = 100) -> None:
        batch, self.records = self.records[:most], self.records[most:]
        self.trigger(batch, now_ms)
        self.handled += batch

    def trigger(self, batch: list[dict[str, Any]], now_ms: int) -> None:
        if batch:
            self._insist(
                now_ms,
                lambda: control_changes({"Records": batch}, LocalContext("t"), facts=FACTS, control=self.control),
            )

    def sweep(self, now_ms: int) -> None:
        self._insist(now_ms, lambda: sweep(LocalContext("s"), control=self.control, shards=[SHARD]))

    def finish(self) -> list[str]:
        """Handle the rest, and sweep what is due; return the decisions."""
        self.react(NOW + 60 * MINUTE_MS)
        self.sweep(NOW + 24 * 60 * MINUTE_MS)
        assert self.dues == []
        return [row["sk"] for row in self.table.rows(THING) if row["sk"].startswith("decision#")]

    @property
    def dues(self) -> list[dict[str, Any]]:
        return [to_plain(row) for row in self.table.table.rows() if row["pk"]["S"].startswith("due#")]

    def _insist(self, now_ms: int, invoke: Callable[[], object]) -> None:
        with frozen_clock(now_ms):
            self.breaking.insist(invoke)


def is_event(record: dict[str, Any]) -> bool:
    image = record["dynamodb"].get("NewImage")
    return record["eventName"] == "INSERT" and bool(to_plain(image)["discriminator"] == EVENT)


def live(line: Line, happenings: Sequence[Happening], chance: random.Random) -> list[str]:
    """Let it happen, with the trigger and the sweep at any time, records in any order, some of them twice."""
    steps = sorted(
        [(one.arrived_ms, 0, number) for number, one in enumerate(happenings)]
        + [(one.put_ms, 1, number) for number, one in enumerate(happenings)]
    )
    settled: dict[int, StoredEvent] = {}
    for now_ms, is_put, number in steps:
        if is_put:
            line.put(settled[number])
        else:
            settled[number] = line.settle(happenings[number])
        if chance.random() < 0.6:
            chance.shuffle(line.records)
            line.react(now_ms, most=chance.randint(1, 4))
        if line.handled and chance.random() < 0.2:
            line.trigger(chance.choices(line.handled, k=2), now_ms)
        if chance.random() < 0.3:
            line.sweep(now_ms)
    return line.finish()


@pytest.fixture(name="table", scope="module")
def table_in_memory() -> Iterator[OneTable]:
    """A table whose reads, where they are not asked to be consistent, know nothing of the last write."""
    with OneTable(VARIABLE, KEYS) as table:
        before = [table.partitions]

        def lagging(call: Call, make: Pass) -> dict[str, Any]:
            if call.operation != "Query":
                before[0] = table.partitions
                return make()
            now = table.partitions
            if not call.request["ConsistentRead"]:
                table.partitions = before[0]
            try:
                return make()
            finally:
                table.partitions = now

        with between(lagging):
            yield table


EDGES = [0, 1, 2, 5_000, HOLD_BACK_MS - 1, HOLD_BACK_MS, MINUTE_MS]
gaps = st.sampled_from(EDGES) | st.integers(0, MINUTE_MS)
delays = st.sampled_from([0, 0, 1, 5_000, HOLD_BACK_MS, HOLD_BACK_MS + 1, MINUTE_MS, 2 * MINUTE_MS, -MINUTE_MS])
puts = st.sampled_from([0, 0, 0, 1, 5_000, STORED_WITHIN_MS - 1_000])


@st.composite
def stories(draw: st.DrawFn) -> list[Happening]:
    found, at_ms = [], NOW
    for gap, delay, stored_ms, mends in draw(
        st.lists(st.tuples(gaps, delays, puts, st.sampled_from([False, False, False, True])), min_size=2, max_size=9)
    ):
        at_ms += gap + 1
        found.append(Happening(at_ms, delay, stored_ms, mends))
    return found


# The second of these knocks is stamped first and stored last.
HELD_UP = [Happening(NOW + 1, 5_000), Happening(NOW + 2, 5_001, 9_000), Happening(NOW + 4, 6_000, 1_000)]


@settings(max_examples=120, deadline=None)
@given(stories(), st.integers(0, 1_000))
@example(HELD_UP, 1)
@example(HELD_UP, 2)
def test_a_screened_rule_decides_what_due_times_decide(table: OneTable, story: list[Happening], seed: int) -> None:
    by_each = live(Line(table, control_of(*PLAIN)), story, random.Random(seed))  # noqa: S311  no secret

    assert live(Line(table, control_of(*SCREENED)), story, random.Random(seed)) == by_each  # noqa: S311


SMALL = {
    "knocks": [Happening(NOW + number, 5_000 - number) for number in (1, 2, 4, 5)],
    "mended between": [Happening(NOW + number, 5_000 - number, mends=number == 2) for number in (1, 2, 4, 5)],
    "mended at the end": [Happening(NOW + number, 5_000 - number, mends=number == 5) for number in (1, 2, 4, 5)],
}


@pytest.mark.parametrize("name", SMALL)
def test_it_does_in_every_order_of_arrival_and_whatever_batches_the_trigger_gets(table: OneTable, name: str) -> None:
    expected: list[str] | None = None
    for order in permutations(SMALL[name]):
        for is_cut in product([False, True], repeat=len(order) - 1):
            for rules in (PLAIN, SCREENED) if expected is None else (SCREENED,):
                line = Line(table, control_of(*rules))
                for one, cut in zip(order, (*is_cut, True), strict=True):
                    line.put(line.settle(one))
                    if cut:
                        line.react(NOW + 5_000)
                decided = line.finish()
                expected = decided if expected is None else expected
                assert decided == expected, (order, is_cut)
    assert expected


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_it_does_wherever_it_is_broken_off(table: OneTable, interruption: Interruption) -> None:
    story = SMALL["knocks"]

    def run(breaking: Breaking, rules: tuple[Rule, ...] = SCREENED) -> list[str]:
        line = Line(table, control_of(*rules), breaking)
        for number in (3, 0, 2, 1):
            line.put(line.settle(story[number]))
            line.react(NOW + 5_000)
        line.sweep(NOW + 5_000 + SWEPT_MS)
        return line.finish()

    expected = run(Breaking.nothing(), PLAIN)
    broken = [(breaking.broken, ending) for breaking, ending in broken_at_every_call(interruption, run)]

    assert expected
    assert {call for call, _ in broken} >= {"PutItem", "Query", "DeleteItem"}
    assert [ending for _, ending in broken if ending != expected] == []


def test_an_event_at_which_nothing_would_be_decided_costs_one_query_and_nothing_in_the_sweep(table: OneTable) -> None:
    line = Line(table, control_of(BROKEN._replace(timing=Screened())))
    for number in range(2):
        line.put(line.settle(Happening(NOW + number)))
        assert calls_of(lambda: line.react(NOW)) == ["Query"]

    assert line.dues == []
    assert calls_of(lambda: line.sweep(NOW + SWEPT_MS)) == ["Query"]  # for what is due

    line.put(line.settle(Happening(NOW + 3)))
    assert calls_of(lambda: line.react(NOW)) == ["Query", "PutItem"]
    assert [row["anchor"] for row in line.dues] == [f"event#{NOW + 3}#knock of press at {NOW + 3}"]


def test_a_key_is_read_once_for_a_batch_however_many_events_arrived(table: OneTable) -> None:
    line = Line(table, control_of(*SCREENED))
    for number in range(20):
        line.put(line.settle(Happening(NOW + number, 60 - number)))

    assert calls_of(lambda: line.react(NOW + 60)).count("Query") == 1


def test_without_the_context_that_it_needs_an_event_costs_nothing_nor_does_one_that_is_late(table: OneTable) -> None:
    line = Line(table, control_of(*(rule._replace(needs_context=True) for rule in SCREENED)))
    line.put(line.settle(Happening(NOW)))
    assert calls_of(lambda: line.react(NOW)) == []

    line.control = control_of(*SCREENED)
    line.put(line.settle(Happening(NOW - 1, HOLD_BACK_MS + 2)))
    assert calls_of(lambda: line.react(NOW + MINUTE_MS)) == []

    line.control = control_of(*PLAIN)
    line.put(line.settle(Happening(NOW + 1)))
    line.react(NOW + 1)
    line.control = control_of(*(rule._replace(needs_context=True) for rule in PLAIN))
    assert calls_of(lambda: line.sweep(NOW + 1 + SWEPT_MS)) == ["Query", "DeleteItem"]  # what is due, and it is done


def broken_down(_: History) -> Iterable[Decision]:
    raise ZeroDivisionError


def test_a_rule_that_fails_in_the_look_becomes_one_fault_in_the_sweep(table: OneTable) -> None:
    line = Line(table, control_of(BROKEN._replace(timing=Screened(), expression=broken_down)))
    line.put(line.settle(Happening(NOW)))

    line.react(NOW)
    assert (len(line.dues), table.published) == (1, [])
    line.finish()

    [fault] = table.published
    assert "ZeroDivisionError" in fault["Detail"]


def test_what_is_due_at_the_time_of_an_unscreened_rule_is_due_without_a_look(table: OneTable) -> None:
    """One row has both: where each put its own, the later one would take away what the other rule is due for."""
    line = Line(table, control_of(BROKEN._replace(timing=Screened()), EVEN, FORGOTTEN))
    line.put(line.settle(Happening(NOW + 1)))

    line.react(NOW)

    assert sorted(row["rules"] for row in line.dues) == [["broken", "even"], ["forgotten"]]


def test_what_was_due_before_the_rule_was_screened_is_decided(table: OneTable) -> None:
    line = Line(table, control_of(*PLAIN))
    for one in SMALL["knocks"]:
        line.put(line.settle(one))
        line.react(NOW)
    line.control = control_of(*SCREENED)

    assert line.finish() == live(Line(table, control_of(*PLAIN)), SMALL["knocks"], random.Random(1))  # noqa: S311


def flood(table: OneTable, numbers: Iterable[int], *, arrived_ms: int, **members: Any) -> None:  # noqa: ANN401
    """Put knocks without the stream having records of them."""
    there = {name: dict(partition) for name, partition in table.partitions.items()}
    for number in numbers:
        event = knocked(NAME, at=NOW + number)
        one = on_happened(event).stored(event, arrived_ms=arrived_ms)._replace(**members)
        there.setdefault(THING, {})[one.sort] = to_typed(one.row(KEYS))
    table.partitions = there


@pytest.mark.parametrize("behind", [MOST_BEHIND, MOST_BEHIND + 1, 4_000])
def test_behind_an_event_with_a_flood_behind_it_all_that_may_see_it_is_due(table: OneTable, behind: int) -> None:
    """Those that were stored before it are; the flood came later, and will be looked at when it reaches the trigger."""
    line = Line(table, control_of(BROKEN._replace(timing=Screened())))
    follower = [line.settle(Happening(NOW + 2 * number, 5_000)) for number in (2, 3)]
    flood(table, range(10, 10 + behind - 2), arrived_ms=NOW + 5_001 + STORED_WITHIN_MS)
    for one in follower:
        line.put(one)
    line.records.clear()  # nothing was to be decided at them
    line.put(on_happened(knocked(NAME, at=NOW + 1)).stored(knocked(NAME, at=NOW + 1), arrived_ms=NOW + 5_000))

    calls = calls_of(lambda: line.react(NOW + 60_000))

    assert {row["anchor"] for row in line.dues} >= {follower[1].sort}
    assert len(line.dues) <= 3
    assert calls.count("Query") <= 6 + (BROKEN.most + PASSED_OVER) // PAGE
    line.sweep(NOW + 24 * 60 * MINUTE_MS)
    assert [row["sk"] for row in table.rows(THING) if row["sk"].startswith("decision#")] == [
        f"decision#broken#{NOW + 1}"
    ]


def test_a_flood_that_lags_costs_a_due_time_for_each_event_and_decides_as_ever(table: OneTable) -> None:
    story = [Happening(NOW + 7 * number, 2_000 + number % 5) for number in range(240)]
    ends, puts = [], []
    for rules in (PLAIN, SCREENED):
        line = Line(table, control_of(*rules))
        for one in story:
            line.put(line.settle(one))
        made = Counter[str]()
        while line.records:
            made += Counter(calls_of(lambda line=line: line.react(NOW + 10_000, most=40)))  # type: ignore[misc]
        ends.append(line.finish())
        puts.append(made["PutItem"])

    assert ends[0] == ends[1] != []
    assert puts[0] == len(story)
    assert puts[1] <= len(story) + MOST_BEHIND  # at the end of it each batch is looked at


@pytest.mark.parametrize("late", [PASSED_OVER + 1, PASSED_OVER + 100], ids=["within reach", "out of reach"])
def test_where_a_flood_lies_between_two_events_that_arrive_what_follows_each_is_due(table: OneTable, late: int) -> None:
    line = Line(table, control_of(BROKEN._replace(timing=Screened(), most=3)))
    for at in (NOW + 2, NOW + 4, NOW + 50_002, NOW + 50_004):
        line.put(line.settle(Happening(at, NOW + 55_000 - at)))
    line.records.clear()
    flood(table, range(10, 10 + late), arrived_ms=NOW + 99_000, late_by=frozenset({KNOCKED}))
    for at in (NOW + 1, NOW + 50_001):
        line.put(line.settle(Happening(at, NOW + 55_000 - at)))

    line.react(NOW + 60_000)

    assert {int(row["anchor"][6:19]) - NOW for row in line.dues} == {1, 2, 4, 50_001, 50_002, 50_004}


@pytest.mark.parametrize("left", [[], [NOW - 1]], ids=["nothing is left", "an older one is left"])
def test_an_event_that_cannot_be_found_is_due_without_a_look(table: OneTable, left: list[int]) -> None:
    line = Line(table, control_of(*SCREENED))
    line.put(line.settle(Happening(NOW + 1)))
    table.partitions = {}
    flood(table, [at - NOW for at in left], arrived_ms=NOW)

    line.react(NOW)

    assert len(line.dues) == 1
    assert line.finish() == []


def test_where_too_much_that_is_late_lies_before_an_event_the_sweep_counts_it(table: OneTable) -> None:
    line = Line(table, control_of(*SCREENED))
    flood(table, range(-BROKEN.most - PASSED_OVER - 1, 0), arrived_ms=NOW, late_by=frozenset({KNOCKED}))
    line.put(line.settle(Happening(NOW + 1)))

    line.react(NOW)

    assert len(line.dues) == 1


def test_an_event_that_became_a_fault_is_in_nobodys_way(table: OneTable) -> None:
    line = Line(table, control_of(*SCREENED))
    nameless = knocked(NAME, at=NOW + 1)._replace(entities={"thing": {}})
    line.put(line.settle(Happening(NOW + 1))._replace(event=nameless))
    line.react(NOW)
    assert len(table.published) == 1
    line.put(line.settle(Happening(NOW - 1, 1)))

    line.react(NOW)

    assert len(table.published) == 1


def test_what_is_due_is_the_same_row_whoever_finds_it(table: OneTable) -> None:
    line = Line(table, control_of(*SCREENED))
    stored = [line.settle(Happening(NOW + number, 5_000)) for number in (1, 2)]
    for one in stored:
        line.put(one)

    line.react(NOW + 5_000)

    [due] = dues_of(stored[1], SCREENED, hold_back_ms=HOLD_BACK_MS)
    assert line.dues == [due.row(KEYS)]

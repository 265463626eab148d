"""Timers and what follows what: the decisions are those of a due time for each event, in every order, broken or not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.rules.control import control_changes
from andon.rules.control_service import Control
from andon.rules.due import READ_SHARDS, Due, shard_of
from andon.rules.micro_event_store import STORED_WITHIN_MS, following, store
from andon.rules.rule import Decision, History, Rule
from andon.rules.stored_event import StoredEvent
from andon.rules.sweep import sweep
from andon.rules.timing import PASSED_OVER, RENEWED_MS, AfterGap, BeforeGap, Start, due_ms, is_renewed
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, calls_of
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.memory.aws import OneTable
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FACTS,
    FORGOTTEN,
    FORGOTTEN_MS,
    HOLD_BACK_MS,
    KEYS,
    KNOCKED,
    MINUTE_MS,
    TABLE,
    VARIABLE,
    decide,
    knocked,
    on_happened,
    rules_of,
    thing_of,
)

GAP_MS = FORGOTTEN_MS
NAME = "press"

# Of the shards that a sweep reads, those of others are empty here, one like another.
SHARD = shard_of(thing_of(NAME))
SHARDS = (SHARD, (SHARD + 1) % READ_SHARDS)


def found_again(history: History) -> Iterable[Decision]:
    """Decide at the first knock behind the end of a gap at which *forgotten* was decided."""
    *earlier, now = [one for one in (history.before, *history.events) if one]
    for number, last in enumerate(earlier):
        end_ms = last.timestamp_ms + GAP_MS
        in_gap = [one for one in earlier[number + 1 :] if one.timestamp_ms <= end_ms]
        is_forgotten = not any(history.was_known(one, of=last, after_ms=GAP_MS) for one in in_gap)
        if earlier[-1].timestamp_ms <= end_ms < now.timestamp_ms and is_forgotten:
            yield decide("listing", thing_of(NAME), f"{last.timestamp_ms}", last, now)


# What is decided by a due time for each event ...
EACH_BEFORE = FORGOTTEN
EACH_AFTER = BROKEN._replace(
    id="found", window_ms=2 * GAP_MS, until=lambda _: False, expression=found_again, emits=frozenset({"thing-listed"})
)
# ... and by a timer, and only behind a gap.
BEFORE = EACH_BEFORE._replace(timing=BeforeGap(GAP_MS))
AFTER = EACH_AFTER._replace(timing=AfterGap(GAP_MS))


def control_of(*rules: Rule) -> Control:
    return CONTROL._replace(rules=rules_of(*rules), remembers={}, context_of=lambda _: None)


BY_EACH = control_of(EACH_BEFORE, EACH_AFTER)
BY_TIMER = control_of(BEFORE, AFTER)


@dataclass(frozen=True, slots=True, order=True)
class Knock:
    """A knock that arrives `after_ms` after it happened, and whose put ends `stored_ms` after that."""

    at_ms: int
    after_ms: int = 0
    stored_ms: int = 0

    @property
    def event(self) -> DomainEvent:
        return knocked(NAME, at=self.at_ms)

    @property
    def arrived_ms(self) -> int:
        return self.at_ms + self.after_ms


class Shop:
    """A control service over a table in memory; what is broken off is delivered again."""

    def __init__(self, table: OneTable, control: Control, breaking: Breaking | None = None) -> None:
        table.clear()
        table.new_records()
        self._table, self._control = table, control
        self._breaking = breaking or Breaking.nothing()
        self._sweeps = 0

    def arrive(self, knock: Knock) -> None:
        self._store(knock, knock.arrived_ms)

    def sweep_until(self, until_ms: int) -> None:
        """Sweep what is due by then, each minute."""
        self._sweep_until(until_ms, MINUTE_MS, 0)

    def play(self, knocks: Sequence[Knock], *, every_ms: int = MINUTE_MS, late_ms: int = 0) -> list[str]:
        """Store the knocks, each at its time, sweep, and go on until nothing is due; return the decisions."""
        for now_ms, knock in sorted((knock.arrived_ms, knock) for knock in knocks):
            self._sweep_until(now_ms, every_ms, late_ms)
            self._store(knock, now_ms)
        self._sweep_until(None, every_ms, late_ms)
        return sorted(row["sk"] for row in self._table.rows(thing_of(NAME)) if row["sk"].startswith("decision#"))

    @property
    def dues(self) -> list[dict[str, Any]]:
        return [to_plain(row) for row in self._table.table.rows() if row["pk"]["S"].startswith("due#")]

    def _store(self, knock: Knock, now_ms: int) -> None:
        collected = on_happened(knock.event)._replace(
            gap_ms=self._control.rules.gap_ms_on(("workshop", "thing-knocked"))
        )
        self._insist(now_ms, lambda: self._listen(collected, knock))
        self._react(now_ms)

    def _listen(self, collected: Collected, knock: Knock) -> None:
        one = collected.stored(knock.event, arrived_ms=knock.arrived_ms)
        store(TABLE, one, now_ms=knock.arrived_ms, gap_ms=collected.gap_ms)

    def _react(self, now_ms: int) -> None:
        while records := self._table.new_records():
            batch = {"Records": records}
            self._insist(
                now_ms,
                lambda batch=batch: control_changes(batch, LocalContext("t"), facts=FACTS, control=self._control),
            )

    def _sweep_until(self, until_ms: int | None, every_ms: int, late_ms: int) -> None:
        while dues := self.dues:
            at_ms = min(row["at"] for row in dues) + STORED_WITHIN_MS + late_ms
            at_ms += -at_ms % every_ms
            if until_ms is not None and at_ms > until_ms:
                return
            self._insist(at_ms, lambda: sweep(LocalContext("s"), control=self._control, shards=SHARDS))
            self._react(at_ms)
            self._sweeps += 1
            assert self._sweeps < 10_000, "what fails stays due for ever"

    def _insist(self, now_ms: int, invoke: Any) -> None:  # noqa: ANN401
        with frozen_clock(now_ms):
            self._breaking.insist(invoke)


@pytest.fixture(name="table", scope="module")
def table_in_memory() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as table:
        yield table


EDGES = [0, 1, MINUTE_MS, GAP_MS - 1, GAP_MS, GAP_MS + 1, 2 * GAP_MS, 3 * GAP_MS + 1]
DELAYS = [0, 1, HOLD_BACK_MS, HOLD_BACK_MS + 1, MINUTE_MS, GAP_MS, GAP_MS + HOLD_BACK_MS, GAP_MS + HOLD_BACK_MS + 1]
# Some clocks are ahead.
gaps = st.sampled_from(EDGES) | st.integers(0, 3 * GAP_MS)
delays = st.sampled_from([*DELAYS, -MINUTE_MS]) | st.integers(-5 * MINUTE_MS, 3 * GAP_MS)


@st.composite
def knocks_of(draw: st.DrawFn, *, most: int = 12) -> list[Knock]:
    knocks, at_ms = [], NOW
    held_up = draw(st.just(0) | delays)  # by a clock that is wrong, or a machine that sends now and then
    for gap, delay in draw(st.lists(st.tuples(gaps, st.none() | delays), min_size=1, max_size=most)):
        at_ms += gap
        knocks.append(Knock(at_ms, held_up if delay is None else delay))
    return [*{knock.at_ms: knock for knock in knocks}.values()]


@settings(max_examples=60, deadline=None)
@given(
    knocks_of(), st.sampled_from([1, MINUTE_MS, 7 * MINUTE_MS, 60 * MINUTE_MS]), st.sampled_from([0, 0, 40 * MINUTE_MS])
)
def test_timers_decide_what_due_times_decide(table: OneTable, knocks: list[Knock], every_ms: int, late_ms: int) -> None:
    by_each = Shop(table, BY_EACH).play(knocks, every_ms=every_ms, late_ms=late_ms)

    assert Shop(table, BY_TIMER).play(knocks, every_ms=every_ms, late_ms=late_ms) == by_each


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_timers_that_are_broken_off_at_any_call_decide_the_same_and_none_is_left(
    table: OneTable, interruption: Interruption
) -> None:
    knocks = [Knock(NOW + minute * MINUTE_MS, 1_000) for minute in (0, 4, 9, 13, 25, 29)]
    whole = Shop(table, BY_TIMER).play(knocks)
    assert whole == Shop(table, BY_EACH).play(knocks)
    assert len(whole) == 3  # forgotten twice, found once

    def run(breaking: Breaking) -> list[str]:
        return Shop(table, BY_TIMER, breaking).play(knocks)

    broken = [(breaking.broken, ending) for breaking, ending in broken_at_every_call(interruption, run)]

    assert {call for call, _ in broken} >= {"PutItem", "Query", "DeleteItem"}
    assert [ending for _, ending in broken if ending != whole] == []


@dataclass(slots=True)
class Race:
    """Events whose settling and storing interleave, as those of two listeners do; pure, so that there are many."""

    stored: list[StoredEvent] = field(default_factory=list)  # the newest first

    def play(self, knocks: Sequence[Knock]) -> None:
        pending: list[tuple[int, StoredEvent]] = []
        for now_ms, knock in sorted((knock.arrived_ms, knock) for knock in knocks):
            self._store([one for at_ms, one in sorted(pending) if at_ms <= now_ms])
            pending = [(at_ms, one) for at_ms, one in pending if at_ms > now_ms]
            one = on_happened(knock.event).stored(knock.event, arrived_ms=knock.arrived_ms)
            one = one._replace(late_by=self._late(one))
            one = following(one, self.stored, gap_ms=GAP_MS, hold_back_ms=HOLD_BACK_MS)
            pending.append((now_ms + knock.stored_ms, one))
        self._store([one for _, one in sorted(pending)])

    def _store(self, ones: Iterable[StoredEvent]) -> None:
        self.stored = sorted([*self.stored, *ones], key=lambda one: one.sort, reverse=True)

    def _late(self, one: StoredEvent) -> frozenset[Any]:
        from andon.rules.micro_event_store import late_by  # noqa: PLC0415

        return late_by(one, self.stored, hold_back_ms=HOLD_BACK_MS)

    def find(self, sort: str) -> StoredEvent | None:
        return next((one for one in self.stored if one.sort == sort), None)

    # What `newest_follower` reads.
    def within(self, sort: str, *, until_ms: int) -> list[StoredEvent]:
        return [one for one in self.stored if one.sort > sort and one.event.timestamp_ms <= until_ms]

    def behind(self, sort: str, *, until_ms: int) -> list[StoredEvent]:
        return self.within(sort, until_ms=until_ms)[::-1]

    def looked_at(self) -> set[str]:
        """Return the times at which timers are due."""
        timely = [one for one in self.stored if not one.late_by]
        waiting, seen = [one.sort for one in timely if BEFORE.timing.at_arrival(one) is Start.DUE], set[str]()
        while waiting:
            sort = waiting.pop()
            follower = BeforeGap(GAP_MS).newest_follower(sort, on=BEFORE.on, events=self, hold_back_ms=HOLD_BACK_MS)
            if follower is None:
                seen.add(sort)
            elif not is_renewed(follower.key, int(sort[6:19]), follower.event.timestamp_ms):
                waiting.append(follower.sort)
        return seen

    def forgotten(self) -> set[str]:
        """Return the events that none followed, as far as was known when that was due."""
        timely = [one for one in self.stored if not one.late_by]
        return {one.sort for one in timely if not any(self._answers(other, one) for other in timely)}

    @staticmethod
    def _answers(other: StoredEvent, one: StoredEvent) -> bool:
        is_within = one.sort < other.sort and other.event.timestamp_ms <= one.event.timestamp_ms + GAP_MS
        return is_within and other.arrived_ms <= due_ms(one.event.timestamp_ms + GAP_MS, one.arrived_ms, HOLD_BACK_MS)


@settings(max_examples=200, deadline=None)
@given(
    knocks_of(most=10), st.lists(st.sampled_from([0, 0, 1, 5_000, STORED_WITHIN_MS - 1_000]), min_size=10, max_size=10)
)
def test_a_timer_comes_by_each_event_however_long_it_takes_to_store(knocks: list[Knock], stored: list[int]) -> None:
    race = Race()
    race.play([Knock(one.at_ms, one.after_ms, ms) for one, ms in zip(knocks, stored, strict=False)])

    assert race.forgotten() <= race.looked_at()


def units(table: OneTable, control: Control, knocks: Sequence[Knock]) -> float:
    """Return the write units of each knock: rows are small, and a condition that fails is paid for, too."""
    calls = calls_of(lambda: Shop(table, control).play(knocks))
    return sum(call in {"PutItem", "DeleteItem", "UpdateItem"} for call in calls) / len(knocks)


@pytest.mark.parametrize("clock_ms", [0, 2 * HOLD_BACK_MS], ids=["its clock is right", "its clock is behind"])
def test_an_event_among_many_costs_little_more_than_to_store_it(table: OneTable, clock_ms: int) -> None:
    hours = [Knock(NOW + number * MINUTE_MS, clock_ms) for number in range(5 * 60)]

    by_timer, by_each = units(table, BY_TIMER, hours), units(table, BY_EACH, hours[:60])

    print(f"write units: {by_timer:.2f} by a timer, {by_each:.2f} by each")  # noqa: T201
    assert by_timer < 1.3
    assert by_each >= 5


def test_a_timer_that_got_lost_is_missed_for_some_hours_at_most(table: OneTable) -> None:
    hours = RENEWED_MS // (60 * MINUTE_MS)
    shop = Shop(table, BY_TIMER)
    for minute in range(0, hours * 60 + 5, 5):
        with frozen_clock(NOW + minute * MINUTE_MS):
            shop.arrive(Knock(NOW + minute * MINUTE_MS))
        for row in shop.dues if minute < 30 else ():
            TABLE.delete({name: row[name] for name in KEYS.names})

    last_ms = NOW + minute * MINUTE_MS
    assert shop.play([]) == [f"decision#forgotten#{last_ms}"]


def test_timers_that_were_started_side_by_side_become_one(table: OneTable) -> None:
    """As those that an older version left, which had one for each event."""
    shop = Shop(table, control_of(EACH_BEFORE))
    for minute in range(5):
        shop.arrive(Knock(NOW + minute * MINUTE_MS))
    assert len(shop.dues) == 5
    rows = table.rows()

    shop = Shop(table, BY_TIMER)
    for row in rows:
        TABLE.put(row, condition=UNCONDITIONAL)
    table.new_records()
    end = NOW + RENEWED_MS + 20 * MINUTE_MS
    for at_ms in range(NOW + 5 * MINUTE_MS, end, MINUTE_MS):
        shop.sweep_until(at_ms)
        shop.arrive(Knock(at_ms))

    assert len(shop.dues) == 1
    assert shop.play([]) == [f"decision#forgotten#{end - MINUTE_MS}"]


def test_a_gap_that_was_made_longer_is_waited_for(table: OneTable) -> None:
    Shop(table, BY_TIMER).arrive(Knock(NOW))
    (row,) = (row for row in table.rows() if row.get("rules") == ["forgotten"])
    longer = control_of(BEFORE._replace(timing=BeforeGap(2 * GAP_MS)))

    with frozen_clock(row["at"] + STORED_WITHIN_MS):
        sweep(LocalContext("s"), control=longer)

    (moved,) = (row for row in table.rows() if row.get("rules") == ["forgotten"])
    assert moved["at"] == NOW + 2 * GAP_MS + HOLD_BACK_MS


def test_in_a_flood_of_late_events_a_timer_moves_to_one_that_counts(table: OneTable) -> None:
    shop = Shop(table, BY_TIMER)
    shop.arrive(Knock(NOW))
    shop.arrive(Knock(NOW + 1))
    late = [knocked(NAME, at=NOW + 2 + number) for number in range(PASSED_OVER + 1)]
    rows = [
        on_happened(one).stored(one, arrived_ms=NOW)._replace(late_by=frozenset({KNOCKED})).row(KEYS) for one in late
    ]
    there = {name: dict(partition) for name, partition in table.partitions.items()}
    there[thing_of(NAME)].update((row["sk"], to_typed(row)) for row in rows)
    table.partitions = there

    assert shop.play([]) == [f"decision#forgotten#{NOW + 1}"]


def test_a_timer_at_no_event_is_given_up(table: OneTable) -> None:
    table.clear()
    due = Due(at_ms=NOW, key=thing_of(NAME), anchor="nowhere", rules=("forgotten",), ttl=0)
    TABLE.put(due.row(KEYS), condition=UNCONDITIONAL)

    with frozen_clock(NOW + MINUTE_MS):
        sweep(LocalContext("s"), control=BY_TIMER)

    assert table.rows() == []


@pytest.mark.parametrize(
    ("older", "follows", "unsteady"),
    [
        ([], None, False),
        ([Knock(NOW - GAP_MS)], NOW - GAP_MS, False),
        ([Knock(NOW - GAP_MS - 1)], None, False),
        ([Knock(NOW - 1, HOLD_BACK_MS)], NOW - 1, False),
        ([Knock(NOW - 1, HOLD_BACK_MS + 1)], NOW - 1, True),  # it may have been missed at the end of a gap before it
        ([Knock(NOW - 2 * MINUTE_MS, MINUTE_MS), Knock(NOW - 1, MINUTE_MS)], NOW - 1, False),  # its clock is behind
        ([Knock(NOW - 1_000, MINUTE_MS), Knock(NOW - 1, MINUTE_MS)], NOW - 1, True),
        ([Knock(NOW - 1_000), Knock(NOW - 1, MINUTE_MS)], NOW - 1, False),
    ],
)
def test_an_event_follows_one_that_is_close(older: list[Knock], follows: int | None, *, unsteady: bool) -> None:
    stored = [on_happened(one.event).stored(one.event, arrived_ms=one.arrived_ms) for one in older[::-1]]
    one = on_happened(knocked(NAME)).stored(knocked(NAME), arrived_ms=NOW + 1_000)

    settled = following(one, stored, gap_ms=GAP_MS, hold_back_ms=HOLD_BACK_MS)

    assert (settled.follows_ms, settled.unsteady) == (follows, unsteady)
    is_first_for_sure_not = follows is not None and not unsteady
    assert AFTER.timing.at_arrival(settled) is (Start.NOTHING if is_first_for_sure_not else Start.DUE)


def test_what_follows_a_steady_event_is_steady_however_long_both_were_held_up() -> None:
    held_up = [Knock(NOW + number, 2 * MINUTE_MS) for number in range(2)]
    last, one = (on_happened(one.event).stored(one.event, arrived_ms=one.arrived_ms) for one in held_up)

    for unsteady in (True, False):
        before = last._replace(follows_ms=NOW - 1, unsteady=unsteady)
        settled = following(one, [before], gap_ms=GAP_MS, hold_back_ms=HOLD_BACK_MS)
        assert settled.follows_ms == NOW
        assert settled.unsteady == unsteady


def test_nothing_follows_a_late_event_and_what_was_not_known_at_the_end_of_the_gap_follows_nothing() -> None:
    last = on_happened(knocked(NAME)).stored(knocked(NAME), arrived_ms=NOW)
    event = knocked(NAME, at=NOW + 1)
    end_ms = NOW + GAP_MS + HOLD_BACK_MS

    def followed(before: StoredEvent, arrived_ms: int) -> int | None:
        one = on_happened(event).stored(event, arrived_ms=arrived_ms)
        return following(one, [before], gap_ms=GAP_MS, hold_back_ms=HOLD_BACK_MS).follows_ms

    assert [followed(last, end_ms), followed(last, end_ms + 1)] == [NOW, None]
    assert followed(last._replace(late_by=frozenset({KNOCKED})), NOW + 1) is None


def test_each_key_is_renewed_every_few_hours_and_not_all_at_once() -> None:
    times = {}
    for number in range(50):
        minutes = [NOW + minute * MINUTE_MS for minute in range(RENEWED_MS // MINUTE_MS + 1)]
        renewed = [to for last, to in pairwise(minutes) if is_renewed(f"Thing#{number}", last, to)]
        assert len(renewed) == 1
        times[number] = renewed[0]
    assert len(set(times.values())) > 25

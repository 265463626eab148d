"""The history that a rule sees, in small numbers: the hold-back is ten milliseconds."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.rules.evaluate import NotEvaluated, history_of
from andon.rules.micro_event_store import late_by
from andon.rules.rule import History, Rule, always, never
from andon.rules.stored_event import StoredEvent, sort_of
from andon.rules.timing import HELD_BACK, PASSED_OVER, AtOnce, Later, Timing

HOLD_BACK = 10
LATE, GONE = NotEvaluated.LATE, NotEvaluated.GONE

Store = list[StoredEvent]


def at(ms: int, identity: str = "a", *, arrived: int | None = None, kind: str = "knocked") -> StoredEvent:
    """Store what happened at a time, as soon as it happened, unless it says when it arrived."""
    fact = DomainEvent(
        id=f"{ms}{identity}", type=kind, timestamp_ms=ms, partition_key="a thing", entities={"thing": {}}
    )
    arrived = ms if arrived is None else arrived
    return StoredEvent(
        source="workshop", event=fact, arrived_ms=arrived, key="Thing#1", sort=sort_of(ms, identity), ttl=10**6
    )


def is_mended(fact: DomainEvent) -> bool:
    return fact.type == "mended"


def a_rule(**members: Any) -> Rule:  # noqa: ANN401
    made: dict[str, Any] = {
        "id": "a-rule",
        "on": frozenset({("workshop", "knocked")}),
        "key": lambda fact: fact.partition_key,
        "expression": lambda _: (),
        "emits": frozenset({"told"}),
        "window_ms": 5,
    }
    return Rule(**made | members)


def newest_first(store: Sequence[StoredEvent]) -> Store:
    return sorted(store, key=lambda one: one.sort, reverse=True)


def settled(store: Sequence[StoredEvent]) -> Store:
    """Settle which events are late, as the store does when they arrive."""
    newest = newest_first(store)
    return [one._replace(late_by=late_by(one, newest, hold_back_ms=HOLD_BACK)) for one in newest]


def look(rule: Rule, anchor: StoredEvent, store: Sequence[StoredEvent]) -> History | NotEvaluated:
    return history_of(rule, anchor, Around(store), hold_back_ms=HOLD_BACK)


def seen(rule: Rule, anchor: StoredEvent, store: Sequence[StoredEvent]) -> tuple[list[str], str | None]:
    """Name the events of a history that there is, and the one before them."""
    history = look(rule, anchor, store)
    assert isinstance(history, History), history
    return [one.id for one in history.events], history.before.id if history.before else None


class Around:
    """The events of a store, which tell how many of them were looked at."""

    def __init__(self, store: Sequence[StoredEvent]) -> None:
        self._events = settled(store)
        self.read = 0

    def upto(self, sort: str) -> Iterator[StoredEvent]:
        return self._counted(one for one in self._events if one.sort <= sort)

    def behind(self, sort: str, *, until_ms: int) -> Iterator[StoredEvent]:
        return self._counted(
            one for one in self._events[::-1] if one.sort > sort and one.event.timestamp_ms <= until_ms
        )

    def _counted(self, events: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
        for one in events:
            self.read += 1
            yield one


moments = st.integers(0, 25)
identities = st.sampled_from("abc")
kinds = st.sampled_from(["knocked", "knocked", "mended", "noted"])


def stores(events: st.SearchStrategy[StoredEvent]) -> st.SearchStrategy[Store]:
    """Draw stores of events that lie close together."""
    return st.lists(events, min_size=3, max_size=9, unique_by=lambda one: one.sort)


delays = st.sampled_from([0, 0, 0, 1, HOLD_BACK - 1, HOLD_BACK, HOLD_BACK + 1, 2 * HOLD_BACK]) | st.integers(-4, 40)
any_stores = stores(
    st.builds(
        lambda ms, delay, identity, kind: at(ms, identity, arrived=ms + delay, kind=kind),
        moments,
        delays,
        identities,
        kinds,
    )
)
# Whatever their times, all arrive within one hold-back.
prompt_stores = stores(st.builds(at, moments, identities, arrived=st.integers(20, 20 + HOLD_BACK), kind=kinds))

KNOCKS = frozenset({("workshop", "knocked")})
BOTH = frozenset({("workshop", "knocked"), ("workshop", "mended")})

# It is the heart of it all, and costs next to nothing.
THOROUGH = settings(max_examples=250)

lookbacks = st.fixed_dictionaries(
    {
        "on": st.sampled_from([KNOCKS, BOTH]),
        "window_ms": st.integers(1, 12),
        "until": st.sampled_from([never, is_mended, is_mended, always]),
        "most": st.integers(1, 5) | st.just(1_000),
        "nearest_suffice": st.booleans(),
    }
)
held_back = st.builds(
    lambda looks, after_ms: a_rule(**looks, timing=Later(after_ms)), lookbacks, st.just(0) | st.integers(1, 15)
)
at_once = st.builds(
    lambda looks, after_ms: a_rule(**looks, timing=AtOnce(after_ms=after_ms)), lookbacks, st.sampled_from([0, 0, 9])
)


def model(rule: Rule, anchor: StoredEvent, store: Store) -> History | NotEvaluated:
    """Return the history, written as sets, of all that ever arrives; for `AtOnce` nothing is late."""
    now, waits = anchor.event.timestamp_ms, not isinstance(rule.timing, AtOnce)
    due = max(anchor.arrived_ms, now + rule.after_ms) + HOLD_BACK if waits else math.inf
    on_it = [one for one in store if rule.is_on(one)]
    timely = {
        one.sort: one
        for one in on_it
        if not waits
        or not any(newer.sort > one.sort and one.arrived_ms > newer.arrived_ms + HOLD_BACK for newer in on_it)
    }
    if anchor.sort not in timely:
        return LATE if any(one.sort == anchor.sort for one in store) else GONE
    counting = sorted(
        [one for one in [*timely.values(), *(one for one in store if not rule.is_on(one))] if one.arrived_ms <= due],
        key=lambda one: one.sort,
    )
    first = now - rule.window_ms
    back = [one for one in counting if one.sort < anchor.sort]
    ends = [one for one in back if rule.until(one.event) or (one.event.timestamp_ms < first and rule.is_on(one))]
    before = ends[-1] if ends else None
    inside = [one for one in back if one.event.timestamp_ms >= first and (before is None or one.sort > before.sort)]
    is_cut = len(inside) + 1 > rule.most
    if is_cut:
        before = inside[-rule.most]
        inside = inside[len(inside) + 1 - rule.most :]
    last = now + rule.after_ms if rule.after_ms else -1
    after = [one for one in counting if one.sort > anchor.sort and one.event.timestamp_ms <= last]
    over = [one.sort for one in after if one.event.timestamp_ms > now and rule.until(one.event)]
    after = [one for one in after if not over or one.sort <= over[0]]
    if len(after) > rule.most or (is_cut and not rule.nearest_suffice):
        return NotEvaluated.FLOODED
    seen = [*inside, anchor, *after]
    return History(
        anchor=anchor.event,
        events=tuple(one.event for one in seen),
        before=None if before is None else before.event,
        arrived_ms={one.event.id: one.arrived_ms for one in ([] if before is None else [before]) + seen},
        hold_back_ms=HOLD_BACK,
        is_cut=is_cut,
    )


def whenever(history: History | NotEvaluated) -> History | NotEvaluated:
    """Return a history without when its events arrived."""
    return history._replace(arrived_ms={}) if isinstance(history, History) else history


def anchors(rule: Rule, store: Store) -> Store:
    found = [one for one in store if rule.is_on(one)]
    assume(found)
    return found


@pytest.mark.parametrize(("behind_ms", "late"), [(HOLD_BACK, frozenset()), (HOLD_BACK + 1, KNOCKS)])
def test_an_event_is_late_once_a_newer_one_was_there_for_longer_than_the_hold_back(
    behind_ms: int, late: frozenset[Topic]
) -> None:
    assert late_by(at(9, arrived=10 + behind_ms), [at(10)], hold_back_ms=HOLD_BACK) == late


@example(a_rule(until=is_mended), [at(20), at(19, kind="mended", arrived=31), at(18)], 0)
@example(a_rule(timing=Later(5)), [at(20), at(25, arrived=35), at(24, arrived=36)], 0)
@THOROUGH
@given(held_back, any_stores, st.integers(0, 8))
def test_a_history_is_settled_once_it_is_due_whatever_arrives_then(rule: Rule, store: Store, number: int) -> None:
    anchor = anchors(rule, store)[number % len(anchors(rule, store))]
    due = rule.due_ms(anchor, HOLD_BACK)

    at_due = look(rule, anchor, [one for one in store if one.arrived_ms <= due])

    later = sorted({one.arrived_ms for one in store if one.arrived_ms > due})
    event(f"{'evaluated' if isinstance(at_due, History) else at_due.name}, {min(len(later), 2)} later")
    for now in later:
        then = look(rule, anchor, [one for one in store if one.arrived_ms <= now])
        assert then == at_due


@THOROUGH
@given(held_back | at_once, any_stores, st.integers(0, 8))
def test_a_history_is_what_the_model_says(rule: Rule, store: Store, number: int) -> None:
    anchor = anchors(rule, store)[number % len(anchors(rule, store))]

    assert look(rule, anchor, store) == model(rule, anchor, store)


@THOROUGH
@given(held_back | at_once, prompt_stores, st.data())
def test_what_arrives_within_the_hold_back_has_any_order(rule: Rule, store: Store, data: st.DataObject) -> None:
    anchor = data.draw(st.sampled_from(anchors(rule, store)))
    permuted = data.draw(st.permutations([one.arrived_ms for one in store]))
    other_way = [one._replace(arrived_ms=arrived) for one, arrived in zip(store, permuted, strict=True)]
    (same,) = (one for one in other_way if one.sort == anchor.sort)

    expected = model(rule, anchor, store)
    assert look(rule, anchor, store) == expected
    assert whenever(look(rule, same, other_way)) == whenever(expected)


@given(held_back | at_once, any_stores, st.data())
def test_an_anchor_that_is_not_there_is_gone_whatever_else_is(rule: Rule, store: Store, data: st.DataObject) -> None:
    anchor = data.draw(st.sampled_from(anchors(rule, store)))

    assert look(rule, anchor, [one for one in store if one is not anchor]) is GONE


def test_the_same_type_of_another_source_is_not_the_rules_own() -> None:
    store = [at(20), at(9)._replace(source="market"), at(8)]

    assert seen(a_rule(), store[0], store) == (["20a"], "8a")


def test_a_history_knows_when_each_of_its_events_arrived_and_so_does_the_one_before_them() -> None:
    store = [at(22, arrived=32), at(20, arrived=25), at(19, arrived=21), at(14, arrived=15), at(13)]

    history = look(a_rule(timing=Later(5)), store[1], store)

    assert isinstance(history, History)
    assert history.arrived_ms == {"22a": 32, "20a": 25, "19a": 21, "14a": 15}
    assert history.before is not None


@pytest.mark.parametrize(("arrived", "expected"), [(35, True), (36, False)])
def test_a_history_knows_what_had_arrived_for_another_rule_when_it_was_due(arrived: int, expected: bool) -> None:  # noqa: FBT001
    store = [at(21, arrived=arrived), at(20)]

    history = look(a_rule(timing=Later(9)), at(20), store)

    assert isinstance(history, History)
    newer, anchor = history.events[1], history.anchor
    assert history.was_known(newer, of=anchor, after_ms=5) == expected
    assert history.was_known(newer, of=anchor, after_ms=6)


@pytest.mark.parametrize(
    ("rule", "anchor", "expected"),
    [(a_rule(), [], GONE), (a_rule(timing=AtOnce()), [], GONE), (a_rule(), [at(20, arrived=60)], LATE)],
    ids=["gone", "gone at once", "late"],
)
def test_of_an_anchor_late_or_gone_nothing_is_read_behind_it(rule: Rule, anchor: Store, expected: NotEvaluated) -> None:
    past = Around([at(22), at(21), *anchor, *(at(ms) for ms in range(20))])

    assert history_of(rule, at(20), past, hold_back_ms=HOLD_BACK) is expected
    assert past.read == 1


def test_an_anchor_is_taken_as_it_is_stored() -> None:
    stored, told = at(20, arrived=25), at(20, arrived=25)._replace(event=at(20).event._replace(raw={"new": {}}))

    history = look(a_rule(), told, [stored])

    assert isinstance(history, History)
    assert history.anchor == stored.event


@pytest.mark.parametrize("rule", [a_rule(), a_rule(timing=AtOnce())], ids=["held back", "at once"])
def test_nothing_is_read_behind_what_ends_the_look_back(rule: Rule) -> None:
    many = [at(ms) for ms in range(20)]
    until = rule._replace(until=is_mended)

    for narrowed, end, expected in (
        (rule, at(14), 7),  # 20 to 15, and the first that is too old
        (until, at(18, kind="mended"), 3),
        (rule._replace(most=3, nearest_suffice=True), at(17), 4),
    ):
        past = Around([*(one for one in many if one.sort != end.sort), end, at(20)])
        history = history_of(narrowed, at(20), past, hold_back_ms=HOLD_BACK)
        assert isinstance(history, History)
        assert history.before == end.event
        assert past.read == expected


@pytest.mark.parametrize("timing", [HELD_BACK, AtOnce(), Later(5)], ids=["held", "at once", "later"])
@pytest.mark.parametrize("newer", [0, 1_000])
def test_what_a_key_says_beyond_the_range_of_a_rule_is_not_read(timing: Timing, newer: int) -> None:
    around = Around([at(20), at(18), at(7), *(at(1_000 + number) for number in range(newer))])

    history = history_of(a_rule(timing=timing), at(20), around, hold_back_ms=HOLD_BACK)

    assert isinstance(history, History)
    assert around.read == 3


@pytest.mark.parametrize(("behind", "expected"), [(7, 7), (8, None), (5_000, None)])
def test_of_more_than_a_rule_looks_at_behind_its_anchor_nothing_is_decided(behind: int, expected: int | None) -> None:
    around = Around([])
    around._events += newest_first([at(20 + number) for number in range(behind + 1)])  # noqa: SLF001  all arrive at once

    history = history_of(a_rule(timing=Later(10_000), most=7), at(20), around, hold_back_ms=HOLD_BACK)

    assert (len(history.later) if isinstance(history, History) else None) == expected
    assert (history is NotEvaluated.FLOODED) == (expected is None)
    assert around.read < 7 + 7


def test_nothing_is_read_behind_what_ends_the_look_ahead() -> None:
    around = Around([at(20), at(20, "b", kind="mended"), at(21), at(22, kind="mended"), *map(at, range(23, 30))])
    rule = a_rule(timing=Later(10_000), until=is_mended, most=3)

    history = history_of(rule, at(20), around, hold_back_ms=HOLD_BACK)

    assert isinstance(history, History)
    assert [one.id for one in history.later] == ["20b", "21a", "22a"]  # one of its own time does not end it
    assert around.read == 4


@pytest.mark.parametrize("late", [PASSED_OVER - 1, 10 * PASSED_OVER])
def test_late_events_before_an_anchor_are_read_up_to_a_bound_and_then_nothing_is_decided(late: int) -> None:
    newest = at(20_000)
    flood = [at(19_999 - number)._replace(late_by=frozenset(KNOCKS)) for number in range(late)]
    around = Around([newest])
    around._events += flood  # noqa: SLF001  settled one by one, it takes a minute

    found = history_of(a_rule(window_ms=19_999, most=10), newest, around, hold_back_ms=HOLD_BACK)

    assert (found is NotEvaluated.FLOODED) == (late > PASSED_OVER)
    assert around.read <= PASSED_OVER + 12


class Team(NamedTuple):
    """A context."""

    size: int


@given(size=st.integers())
def test_a_context_has_its_type_and_one_of_another_type_is_a_defect(size: int) -> None:
    assert History(at(1).event, (), context=Team(size)).context_as(Team) == Team(size)
    for wrong in (None, size, (size,)):
        with pytest.raises(TypeError, match=f"the context is {type(wrong).__name__}, not Team"):
            History(at(1).event, (), context=wrong).context_as(Team)

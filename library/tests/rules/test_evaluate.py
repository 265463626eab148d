import json
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest

from andon.events.publish import NotPublished
from andon.rules.control_service import Control, Verdict
from andon.rules.evaluate import Evaluator, row_of
from andon.rules.rule import Decision, History, Rule
from andon.rules.stored_event import StoredEvent
from andon.rules.timing import HELD_BACK, AtOnce, Timing
from andon.runtime.errors import Poison
from andon.testing.wire import Wire
from toys.clock import NOW
from toys.toy_control import (
    CONTROL,
    HOLD_BACK_MS,
    KEYS,
    LABEL,
    TABLE,
    VARIABLE,
    Keeper,
    decide,
    decide_at,
    knocked,
    on_happened,
    thing_of,
)

Expression = Callable[[History], Iterable[Decision]]
Counts = dict[str, int]


def upon(history: History) -> Iterable[Decision]:
    """Decide upon the anchor, whatever came before it."""
    yield decide("broken", thing_of(history.anchor.partition_key), str(history.anchor.timestamp_ms), history.anchor)


def upon_all(history: History) -> Iterable[Decision]:
    for one in history.events:
        yield decide("broken", thing_of(one.partition_key), str(one.timestamp_ms), one)


def a_rule(expression: Expression = upon, id: str = "broken", **members: Any) -> Rule:  # noqa: A002, ANN401
    made: dict[str, Any] = {"timing": AtOnce(), "needs_context": False}
    return LABEL._replace(id=id, expression=expression, emits=frozenset({"thing-broken"}), **made | members)


def stored(keeper: Keeper, name: str, *, at: int = NOW, arrived: int = NOW) -> StoredEvent:
    event = knocked(name, at=at)
    on_happened(event).write(TABLE, event, now_ms=arrived)
    (one,) = (one for one in keeper.events(thing_of(name)) if one.event.id == event.id)
    keeper.new_records(VARIABLE)
    return one


def evaluated(anchor: StoredEvent, *rules: Rule, control: Control = CONTROL, now_ms: int = NOW) -> Counts:
    return dict(decide_at(anchor, rules, control=control, now_ms=now_ms))


def test_a_decision_is_a_row_that_says_which_rule_made_it_and_upon_which_events(keeper: Keeper, name: str) -> None:
    first, anchor = stored(keeper, name, at=NOW - 1), stored(keeper, name)
    partition = thing_of(name)

    def upon_both(history: History) -> Iterable[Decision]:
        yield decide("broken", partition, "17", *history.events, force=9)

    assert evaluated(anchor, a_rule(upon_both)) == {Verdict.DECIDED: 1}

    (row,) = (row for row in keeper.partition(partition) if row["sk"].startswith("decision#"))
    assert row == {
        "pk": partition,
        "sk": "decision#broken#17",
        "discriminator": "broken",
        "at": NOW,
        "force": 9,
        "by": "rule",
        "rule": "broken",
        "triggers": [
            {"id": first.event.id, "type": "thing-knocked", "timestamp": NOW - 1},
            {"id": anchor.event.id, "type": "thing-knocked", "timestamp": NOW},
        ],
        "hops": 1,
    }


def test_a_decision_that_was_made_stands_and_is_not_published_again(keeper: Keeper, name: str) -> None:
    anchor = stored(keeper, name)
    assert evaluated(anchor, a_rule()) == {Verdict.DECIDED: 1}
    before = keeper.partition(thing_of(name))
    assert len(keeper.new_records(VARIABLE)) == 1

    def otherwise(history: History) -> Iterable[Decision]:
        yield from (decision._replace(row={"other": True}) for decision in upon(history))

    assert evaluated(anchor, a_rule()) == {Verdict.STANDS: 1}
    assert evaluated(anchor, a_rule(otherwise)) == {Verdict.STANDS: 1}

    assert keeper.partition(thing_of(name)) == before
    assert keeper.new_records(VARIABLE) == []


def test_a_decision_is_one_conditional_put_and_a_past_is_read_once(keeper: Keeper, name: str, wire: Wire) -> None:
    anchor = stored(keeper, name)
    wire.requests.clear()

    evaluated(anchor, a_rule(), a_rule(id="again"))

    assert wire.operations == ["Query", "PutItem"]  # the other rule decides the same


def test_every_decision_is_counted_and_that_nothing_was_decided(keeper: Keeper, name: str) -> None:
    evaluated(stored(keeper, name, at=NOW - 2), a_rule())
    stored(keeper, name, at=NOW - 1)
    anchor = stored(keeper, name)

    assert evaluated(anchor, a_rule(lambda _: ())) == {Verdict.NOTHING: 1}
    assert evaluated(anchor) == {}
    assert evaluated(anchor, a_rule(upon_all)) == {Verdict.STANDS: 1, Verdict.DECIDED: 2}


def test_a_late_anchor_and_one_that_is_gone_are_counted_and_not_decided_upon(keeper: Keeper, name: str) -> None:
    rule = a_rule(timing=HELD_BACK)
    stored(keeper, name)
    late = stored(keeper, name, at=NOW - 10, arrived=NOW + HOLD_BACK_MS + 1)

    assert evaluated(late, rule) == {Verdict.LATE: 1}
    gone = late._replace(sort=late.sort + "!")
    assert evaluated(gone, rule) == {Verdict.GONE: 1}
    assert keeper.decisions(thing_of(name)) == []


def test_an_anchor_that_has_expired_is_gone(keeper: Keeper, name: str) -> None:
    anchor = stored(keeper, name)

    assert evaluated(anchor, a_rule(), now_ms=anchor.ttl * 1000 - 1) == {Verdict.DECIDED: 1}
    assert evaluated(anchor, a_rule(), now_ms=anchor.ttl * 1000) == {Verdict.GONE: 1}


def raising(error: Exception) -> Expression:
    def expression(_: History) -> Iterable[Decision]:
        raise error
        yield  # it is a generator, as most expressions are

    return expression


# An expression is pure: whatever it raises, it would raise for ever.
FOR_EVER = [Poison("no name"), KeyError("name"), StopIteration(), RuntimeError(), AssertionError(), RecursionError()]


@pytest.mark.parametrize("error", FOR_EVER, ids=lambda error: type(error).__name__)
def test_an_expression_that_raises_is_a_fault_and_harms_no_rule(keeper: Keeper, name: str, error: Exception) -> None:
    anchor = stored(keeper, name)

    counts = evaluated(anchor, a_rule(raising(error), "culprit"), a_rule())

    assert counts == {Verdict.FAULT: 1, Verdict.DECIDED: 1}
    (fault,) = keeper.published()
    assert fault["type"] == "fault"
    assert fault["fault"]["consumer"] == "keeper.rule-culprit"
    assert json.loads(fault["fault"]["message"])["event"] == anchor.event.to_wire()


def test_a_fault_of_a_rule_has_the_same_id_however_often_the_rule_is_evaluated(keeper: Keeper, name: str) -> None:
    anchor, other = stored(keeper, name), stored(keeper, name, at=NOW + 1)
    rule = a_rule(raising(ValueError("none")))

    for one in (anchor, anchor, other):
        evaluated(one, rule)
    evaluated(anchor, a_rule(raising(ValueError("none")), "another"))

    first, again, elsewhere, anothers = (fault["id"] for fault in keeper.published())
    assert first == again
    assert len({first, elsewhere, anothers}) == 3


def test_a_fault_that_cannot_be_published_is_raised(keeper: Keeper, name: str, wire: Wire, pauses: list[float]) -> None:
    wire.refuse_entries(lambda _: "InternalFailure")

    with pytest.raises(NotPublished):
        evaluated(stored(keeper, name), a_rule(raising(ValueError("none"))))

    assert pauses


@pytest.mark.parametrize("detail", ["x" * 410_000, float("nan")], ids=["too large", "no JSON"])
def test_a_row_that_cannot_be_written_is_a_fault(keeper: Keeper, name: str, detail: object) -> None:
    def unwritable(history: History) -> Iterable[Decision]:
        yield from (decision._replace(row={"detail": detail}) for decision in upon(history))

    counts = evaluated(stored(keeper, name), a_rule(unwritable, "culprit"), a_rule())

    assert counts == {Verdict.FAULT: 1, Verdict.DECIDED: 1}
    assert len(keeper.published()) == 1


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError", "AccessDeniedException"])
def test_a_failure_that_may_pass_is_raised_and_is_no_verdict(keeper: Keeper, name: str, wire: Wire, code: str) -> None:
    anchor = stored(keeper, name)
    wire.fail("PutItem", code, times=1)

    with pytest.raises(Exception, match=code):
        evaluated(anchor, a_rule())

    assert keeper.published() == []
    assert evaluated(anchor, a_rule()) == {Verdict.DECIDED: 1}


def test_of_a_rule_that_fails_at_one_of_its_decisions_none_is_put(keeper: Keeper, name: str) -> None:
    def good_and_bad(history: History) -> Iterable[Decision]:
        yield from upon(history)
        yield decide("broken", thing_of(name), history.anchor.id, history.anchor)

    assert evaluated(stored(keeper, name), a_rule(good_and_bad)) == {Verdict.FAULT: 1}
    assert keeper.decisions(thing_of(name)) == []


@pytest.mark.parametrize("place", KEYS.names)
@pytest.mark.parametrize("number", [0, 1])
def test_a_triggers_id_in_any_part_of_the_key_is_refused(keeper: Keeper, name: str, place: str, number: int) -> None:
    def by_trigger(history: History) -> Iterable[Decision]:
        decision = decide("broken", thing_of(name), "17", *history.events)
        yield decision._replace(key={**decision.key, place: f"x {history.events[number].id} y"})

    stored(keeper, name, at=NOW - 1)

    assert evaluated(stored(keeper, name), a_rule(by_trigger, "culprit")) == {Verdict.FAULT: 1}
    (fault,) = keeper.published()
    assert "rule culprit" in fault["fault"]["error"]["message"]
    assert "never a trigger" in fault["fault"]["error"]["message"]


@pytest.mark.parametrize("part", ["decision", "broken", "#", "1", "Thing"])
def test_an_id_that_is_part_of_the_key_anyway_keeps_nobody_from_deciding(keeper: Keeper, name: str, part: str) -> None:
    event = knocked(name, id=part, hand="left")
    on_happened(event).write(TABLE, event, now_ms=NOW)
    (anchor,) = keeper.events(thing_of(name))

    assert evaluated(anchor, a_rule()) == {Verdict.DECIDED: 1}


def test_a_decision_has_one_hop_more_than_the_farthest_of_its_triggers() -> None:
    near, far = (knocked("a", id=f"e{hops}")._replace(tags={"hops": hops}) for hops in ("1", "3"))

    row = row_of(a_rule(), decide("broken", "Thing#a", "17", far, near))

    assert row["hops"] == 4


def test_what_a_decision_says_cannot_hide_its_key_nor_why_it_was_made() -> None:
    lies = {"pk": "lie", "sk": "lie", "by": "lie", "rule": "lie", "triggers": "lie"}
    decision = decide("broken", "Thing#a", "17", knocked("a", id="e1"))._replace(row=lies)

    assert row_of(a_rule(), decision) == {
        "pk": "Thing#a",
        "sk": "decision#broken#17",
        "by": "rule",
        "rule": "broken",
        "triggers": [{"id": "e1", "type": "thing-knocked", "timestamp": NOW}],
        "hops": 1,
    }


class Asked:
    """A service's knowledge beside events, and the keys it was asked for."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def __call__(self, key: str) -> str:
        self.keys.append(key)
        return "an owner"


def test_a_rule_that_needs_context_sees_what_the_service_knows_read_once_a_key(keeper: Keeper, name: str) -> None:
    asked, seen = Asked(), []

    def looking(history: History) -> Iterable[Decision]:
        seen.append(history.context)
        return ()

    control = CONTROL._replace(context_of=asked)
    one, other = stored(keeper, name), stored(keeper, name, at=NOW + 1)
    evaluator = Evaluator(control, one.key, anchors=[one.sort, other.sort], now_ms=NOW)
    rules = [
        a_rule(looking, "r1", needs_context=True),
        a_rule(looking, "r2"),
        a_rule(looking, "r3", needs_context=True),
    ]

    for anchor, rule in product((one, other), rules):
        evaluator.evaluate(anchor, rule)

    assert seen == ["an owner", None, "an owner"] * 2
    assert asked.keys == [thing_of(name)]


@pytest.mark.parametrize("timing", [AtOnce(), HELD_BACK])
def test_a_rule_without_its_context_decides_and_reads_nothing(
    keeper: Keeper, name: str, wire: Wire, timing: Timing
) -> None:
    control = CONTROL._replace(context_of=lambda _: None)
    anchor = stored(keeper, name)
    wire.requests.clear()

    assert evaluated(anchor, a_rule(needs_context=True, timing=timing), control=control) == {Verdict.NOTHING: 1}

    assert wire.operations == []


def test_a_rule_without_enough_of_its_context_decides_and_reads_nothing_and_another_one_does(
    keeper: Keeper, name: str, wire: Wire
) -> None:
    control = CONTROL._replace(context_of=lambda _: "an owner")
    anchor = stored(keeper, name)
    wire.requests.clear()
    needing = a_rule(needs_context=True, timing=AtOnce(), enough=lambda context: context == "two owners")

    assert evaluated(anchor, needing, control=control) == {Verdict.NOTHING: 1}
    assert wire.operations == []
    assert evaluated(anchor, needing._replace(enough=lambda context: context == "an owner"), control=control) == {
        Verdict.DECIDED: 1
    }

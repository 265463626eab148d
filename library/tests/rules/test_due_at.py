"""Rules that are due at a date of the domain: the same decisions in every order, and nothing is forgotten silently."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import permutations
from types import SimpleNamespace
from typing import Any, Final

import pytest

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.domain_event import DomainEvent
from andon.rules.control_service import Control
from andon.rules.due import Due
from andon.rules.timing import DueAt, EvaluateAt, Later, SweepTime, Timing
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from toys.clock import NOW
from toys.dated import LAPSED, LAPSING, WITHIN_DAYS, bring, control_of, date_of, faults, until
from toys.toy_control import (
    CONTROL,
    HOLD_BACK_MS,
    SWEPT_MS,
    TABLE,
    TTL_DAYS,
    Keeper,
    knocked,
    mended,
    rules_of,
    thing_of,
)

NONE_BEHIND: Final = SimpleNamespace(find=lambda _: None, within=lambda *_, **__: (), behind=lambda *_, **__: ())


def decided_at(keeper: Keeper, days: float, control: Control = LAPSING) -> list[Any]:
    return keeper.sweep(NOW + int(days * DAY_MS) + SWEPT_MS, control)


def test_a_rule_is_due_at_the_date_of_its_anchor_and_not_a_moment_earlier(keeper: Keeper, name: str) -> None:
    bring(keeper, until(name, 35))

    assert keeper.sweep(NOW + 35 * DAY_MS + HOLD_BACK_MS, LAPSING) == []  # what was stored late is not waited for
    assert [event["type"] for event in decided_at(keeper, 35)] == ["thing-broken"]
    assert keeper.decisions(thing_of(name)) == ["broken#lapsed"]
    assert keeper.dues() == []


def test_an_event_without_a_date_is_no_anchor(keeper: Keeper, name: str) -> None:
    bring(keeper, knocked(name))

    assert keeper.dues() == []


def test_a_date_that_has_passed_is_due_at_once(keeper: Keeper, name: str) -> None:
    bring(keeper, until(name, -3))

    assert LAPSED.timing.due_at(until(name, -3)) == NOW
    assert [event["type"] for event in decided_at(keeper, 0)] == ["thing-broken"]


def test_a_date_whose_event_is_gone_decides_nothing_and_is_not_waited_for(keeper: Keeper, name: str) -> None:
    bring(keeper, until(name, 10))
    (event,) = keeper.events(thing_of(name))
    TABLE.delete({"pk": event.key, "sk": event.sort}, condition=UNCONDITIONAL)

    assert decided_at(keeper, 10) == []
    assert keeper.dues() == []

    due = Due(at_ms=NOW, key=event.key, anchor=event.sort, rules=("lapsed",), ttl=0)
    aim = LAPSED.timing.when_due(due, on=LAPSED.on, events=NONE_BEHIND, time=SweepTime(NOW, HOLD_BACK_MS))
    assert aim == EvaluateAt(event.sort)


def later_by(name: str) -> tuple[DomainEvent, ...]:
    return until(name, 10), until(name, 38, at=NOW + 1)


def earlier_by(name: str) -> tuple[DomainEvent, ...]:
    return until(name, 38), until(name, 10, at=NOW + 1)


def twice_moved(name: str) -> tuple[DomainEvent, ...]:
    return until(name, 20), until(name, 5, at=NOW + 1), until(name, 30, at=NOW + 2)


def mended_since(name: str) -> tuple[DomainEvent, ...]:
    return until(name, 20), until(name, 5, at=NOW + 1), mended(name, at=NOW + 2)


@pytest.mark.parametrize(
    ("story", "days"),
    [(later_by, 38), (earlier_by, 10), (twice_moved, 30), (mended_since, None)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_date_that_moves_is_decided_at_once_and_at_the_last_one_in_every_order(
    keeper: Keeper, name: str, story: Callable[[str], tuple[DomainEvent, ...]], days: float | None
) -> None:
    for number, order in enumerate(permutations(range(len(story(name))))):
        thing = f"{name} {number}"
        events = story(thing)
        with frozen_clock(NOW + HOLD_BACK_MS // 2):
            for one in (*order, *order):  # and each comes twice
                bring(keeper, events[one])
        sweeps = {day: decided_at(keeper, day) for day in (5, 10, 20, 30, 38)}

        assert [day for day, published in sweeps.items() if published] == ([] if days is None else [days]), order
        assert keeper.dues() == []


def test_what_takes_back_a_date_counts_just_before_it_and_no_longer_at_it(keeper: Keeper, name: str) -> None:
    for thing, at_ms, expected in (("in time", -1, []), ("too late", HOLD_BACK_MS + 1, ["broken#lapsed"])):
        bring(keeper, until(f"{name} {thing}", 30))
        with frozen_clock(NOW + 30 * DAY_MS + at_ms):
            bring(keeper, mended(f"{name} {thing}", at=NOW + 30 * DAY_MS + at_ms))
        decided_at(keeper, 30)

        assert keeper.decisions(thing_of(f"{name} {thing}")) == expected


@pytest.mark.parametrize("timing", [DueAt(date_of, within_days=TTL_DAYS), Later(TTL_DAYS * DAY_MS)], ids=type)
def test_a_rule_whose_anchor_its_store_forgets_before_is_refused_with_what_to_write_where(timing: Timing) -> None:
    with pytest.raises(ValueError, match="rule lapsed: ") as raised:
        control_of(LAPSED._replace(timing=timing), ttl_days=TTL_DAYS)

    message = str(raised.value)
    assert f"ttl_days={TTL_DAYS + 1} or more in CONTROL (control.py)" in message
    assert "subscriptions.py" in message
    assert control_of(LAPSED._replace(timing=timing), ttl_days=TTL_DAYS + 1).ttl_days == TTL_DAYS + 1


@pytest.mark.parametrize("days", [35, WITHIN_DAYS + 1])
def test_an_event_that_is_stored_for_less_than_its_rule_needs_is_a_fault_and_other_rules_go_on(
    keeper: Keeper, name: str, days: int
) -> None:
    both = control_of(LAPSED, CONTROL.rules.all[1]._replace(timing=Later(DAY_MS)))
    published = bring(keeper, until(name, days), days=TTL_DAYS, control=both)

    assert len(faults(published)) == 1, published
    assert "rule lapsed" in str(published)
    assert [due["rules"] for due in keeper.dues()] == [["broken"]]
    keeper.forget()


def test_a_date_that_no_sort_key_can_hold_is_refused_before_it_is_written(keeper: Keeper, name: str) -> None:
    centuries = int(datetime(2400, 1, 1, tzinfo=UTC).timestamp() * 1000)
    published = bring(keeper, knocked(name, until=centuries))

    assert len(faults(published)) == 1
    assert keeper.dues() == []


def test_dates_lie_some_days_ahead() -> None:
    with pytest.raises(ValueError, match="within_days"):
        rules_of(LAPSED._replace(timing=DueAt(date_of, within_days=0)))

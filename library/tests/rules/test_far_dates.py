"""Dates further ahead than events are stored: the same decisions as if nothing were ever forgotten."""

import random
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import pytest

from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.domain_event import DomainEvent
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import Decision, History
from andon.rules.sweep import sweep
from andon.rules.timing import DueAt
from andon.runtime.clock import DAY_MS, HOUR_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking
from andon.testing.environment import LocalContext, frozen_clock
from toys.clock import NOW
from toys.dated import LAPSED, WITHIN_DAYS, bring, control_of, date_of, faults, until
from toys.things import happened
from toys.toy_control import (
    HOLD_BACK_MS,
    MINUTE_MS,
    SWEPT_MS,
    TTL_DAYS,
    Keeper,
    decide,
    key_of,
    knocked,
    mended,
    thing_of,
)

YEARS_MS: Final = 5 * 366 * DAY_MS
AHEAD_DAYS: Final = (-3, 0, 20, WITHIN_DAYS, WITHIN_DAYS + 1, 61, 100, 500, 1500)


def lapsed_each(history: History) -> Iterable[Decision]:
    """Decide as *lapsed* does, of each anchor by itself."""
    if not history.later:
        yield decide("broken", key_of(history.anchor), str(history.anchor.timestamp_ms), history.anchor)


EACH: Final = LAPSED._replace(expression=lapsed_each)


class Story(NamedTuple):
    """Events, and when each arrives, which is twice."""

    arrivals: list[tuple[int, DomainEvent]]

    @classmethod
    def of(cls, dice: random.Random, name: str) -> "Story":
        """Make up some dates, each said in time, and what takes them back, late by less than half of the days."""
        times = [NOW + DAY_MS * day + dice.randrange(DAY_MS) for day in dice.sample(range(600), dice.choice((1, 1, 3)))]
        backs = [NOW + dice.randrange(YEARS_MS) for _ in range(dice.choice((0, 0, 1, 2)))]
        dated = [(at, at + DAY_MS * dice.choice(AHEAD_DAYS) + dice.randrange(HOUR_MS)) for at in times]
        arrivals = [(at, knocked(name, at=at, until=date_ms)) for at, date_ms in dated]
        arrivals += [(at + DAY_MS * dice.randrange(WITHIN_DAYS // 2), mended(name, at=at)) for at in backs]
        again = [(at + dice.randrange(9 * DAY_MS), event) for at, event in arrivals]
        return cls(sorted([*arrivals, *again], key=itemgetter(0)))


class Played(NamedTuple):
    """Event id -> when it arrived first; decision -> when it was published first."""

    arrived: dict[str, int]
    decided: dict[str, int]


def expected(story: Story, arrived: dict[str, int]) -> dict[str, int]:
    """Return what is decided by all that was ever said, and the time from which it may be."""
    events, decided = {event.id: event for _, event in story.arrivals}.values(), {}
    for one in events:
        date_ms = date_of(one)
        if date_ms is not None:
            due_ms = max(date_ms, arrived[one.id]) + HOLD_BACK_MS
            since = [other for other in events if one.timestamp_ms < other.timestamp_ms <= date_ms]
            if all(arrived[other.id] > due_ms for other in since):
                decided[f"decision#broken#{one.timestamp_ms}"] = due_ms
    return decided


def played(keeper: Keeper, story: Story, dice: random.Random) -> Played:
    """Tell a story and sweep what is due, hours late, each sweep broken off somewhere and begun again."""
    control, told, now_ms = control_of(EACH), Played({}, {}), NOW
    waiting = story.arrivals[::-1]
    while waiting or keeper.dues():
        due_ms = min((row["at"] for row in keeper.dues()), default=waiting[-1][0] if waiting else 0) + STORED_WITHIN_MS
        if waiting and waiting[-1][0] <= due_ms:
            at_ms, event = waiting.pop()
            now_ms = max(now_ms, at_ms)
            told.arrived.setdefault(event.id, now_ms)
            with frozen_clock(now_ms):
                published = bring(keeper, event, control=control)
        else:
            now_ms = max(now_ms + MINUTE_MS, due_ms + dice.randrange(8) * HOUR_MS)
            breaking = Breaking(dice.choice(INTERRUPTIONS), dice.randrange(1, 25))
            with frozen_clock(now_ms):
                breaking.insist(partial(sweep, LocalContext("keeper-sweep"), control=control))
            published = keeper.sweep(now_ms, control)
        assert faults(published) == []
        for fact in published:
            told.decided.setdefault(fact["decision"]["what"], now_ms)
    return told


@pytest.mark.parametrize("seed", range(20))  # the 17th finds a step that is too long
def test_a_date_however_far_ahead_is_decided_when_it_comes_by_all_that_was_said_since(
    keeper: Keeper, name: str, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311  dice
    story = Story.of(dice, name)

    told = played(keeper, story, dice)

    wanted = expected(story, told.arrived)
    assert told.decided.keys() == wanted.keys()
    assert all(0 <= at_ms - wanted[what] < DAY_MS for what, at_ms in told.decided.items())


def test_rules_of_one_anchor_wait_beside_each_other_and_none_shortens_what_another_keeps(
    keeper: Keeper, name: str
) -> None:
    """Two wait alike; the third is put anew at the moment for which theirs is due, and keeps the anchor for less."""
    slow, quick = DueAt(date_of, within_days=400), DueAt(plus(days=500), within_days=10)
    rules = [
        EACH._replace(timing=slow),
        EACH._replace(timing=slow, **naming("forgotten", "thing-forgotten")),
        EACH._replace(timing=quick, **naming("noisy", "room-noisy")),
    ]
    control = control_of(*rules, ttl_days=401)

    bring(keeper, until(name, 900), days=401, control=control)
    for day in range(0, 905, 5):
        keeper.sweep(NOW + day * DAY_MS + SWEPT_MS + MINUTE_MS, control)

    assert sorted(keeper.decisions(thing_of(name))) == [f"{rule}#{NOW}" for rule in ("broken", "forgotten", "noisy")]
    assert keeper.dues() == []


def naming(rule: str, emits: str) -> dict[str, Any]:
    """Return the parts of a rule that names each anchor."""

    def expression(history: History) -> Iterable[Decision]:
        yield decide(rule, key_of(history.anchor), str(history.anchor.timestamp_ms), history.anchor)

    return {"id": rule, "expression": expression, "emits": frozenset({emits})}


def plus(*, days: int) -> Callable[[DomainEvent], int]:
    return lambda event: event.timestamp_ms + days * DAY_MS


def test_an_event_whose_end_is_an_event_is_kept_no_longer(keeper: Keeper, name: str) -> None:
    control = control_of(EACH._replace(timing=DueAt(date_of, within_days=TTL_DAYS - 1)), ttl_days=TTL_DAYS)
    far_ms, ends = NOW + 3 * TTL_DAYS * DAY_MS, "thing-lost"

    keeper.listen(knocked(name, until=far_ms, expire=ends))
    refused = faults(keeper.react(control))
    keeper.listen(knocked(name, at=NOW + 1, until=far_ms), happened("mended", name, at=NOW + 2, expire=ends))
    assert faults(keeper.react(control)) == []
    keeper.sweep(NOW + 1 + (TTL_DAYS - 1) * DAY_MS + SWEPT_MS, control)

    assert len(refused) == 1
    kept_days = [(event.ttl - NOW // 1000) // SECONDS_PER_DAY for event in keeper.events(thing_of(name))]
    assert kept_days[0] == kept_days[2] == TTL_DAYS
    assert kept_days[1] > TTL_DAYS
    keeper.forget()

"""A rule that is due so long after its anchor arrived: it waits for no more, and what came late is decided upon."""

from collections.abc import Iterable

import pytest

from andon.events.domain_event import DomainEvent
from andon.rules.plan import plan_arrival
from andon.rules.rule import Decision, History, Rule
from andon.rules.stored_event import StoredEvent, sort_of
from andon.rules.timing import AfterArrival, Later, Timing
from andon.runtime.clock import MINUTE_MS
from toys.toy_control import KEYS, KNOCKED, rules_of

NOW = 1_767_258_000_000
AFTER_MS = 5 * MINUTE_MS
HOLD_BACK_MS = 30_000


def nothing(history: History) -> Iterable[Decision]:  # noqa: ARG001  an expression
    return ()


def due_ms(timing: Timing, *, happened_ms: int, late: bool = False) -> list[int]:
    """Return when a rule is due at an event that arrives now."""
    rule = Rule(
        id="after",
        on=frozenset({KNOCKED}),
        key=lambda _: "thing",
        window_ms=MINUTE_MS,
        timing=timing,
        expression=nothing,
        emits=frozenset({"thing-broken"}),
    )
    source, event_type = KNOCKED
    event = DomainEvent(
        id="one", type=event_type, timestamp_ms=happened_ms, partition_key="thing", tags={}, entities={}
    )
    stored = StoredEvent(source, event, NOW, "thing", sort_of(happened_ms, "one"), ttl=2 * NOW // 1000)
    if late:
        stored = stored._replace(late_by=frozenset({KNOCKED}))
    plan = plan_arrival(stored, rules_of(rule), KEYS, hold_back_ms=HOLD_BACK_MS)
    return [row["at"] for row in plan.due_rows]


@pytest.mark.parametrize("happened_ms", [NOW - 60 * MINUTE_MS, NOW, NOW + 5 * MINUTE_MS])
@pytest.mark.parametrize("late", [False, True])
def test_it_goes_by_the_arrival_alone(happened_ms: int, late: bool) -> None:  # noqa: FBT001
    assert due_ms(AfterArrival(AFTER_MS), happened_ms=happened_ms, late=late) == [NOW + AFTER_MS]


def test_by_the_time_of_the_event_it_would_be_another_time_and_none_for_a_late_one() -> None:
    assert due_ms(Later(AFTER_MS), happened_ms=NOW) == [NOW + AFTER_MS + HOLD_BACK_MS]
    assert due_ms(Later(AFTER_MS), happened_ms=NOW, late=True) == []

"""Calls on the board: those that are open, and the cause of what was, in whatever order their facts arrive."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, Final

import pytest

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.samples import body_of, fact, sample
from views.board.version import version_of
from views.board.view import CALLS, KEYS, TABLE

AT: Final = 1_767_258_000_000  # 2026-01-01T09:00Z
PRESS: Final = {"id": "press-7"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(AT + 60_000):
        loop.listen([body_of(fact("equipment-created"))])
        yield loop


def id_of_call(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012}"


def call_fact(number: int, event_type: str, at: int, **call: object) -> DomainEvent:
    """The fact of a call, `number` its id's, `at` milliseconds behind the beginning."""
    wire = sample("domain", event_type)
    id_ = id_of_call(number)
    said = {**wire["call"], "id": id_, **call}
    return DomainEvent.from_wire(wire | {"id": f"{id_} {event_type}", "timestamp": AT + at, "call": said})


def hear(loop: Loop, *events: DomainEvent) -> None:
    loop.listen([to_message(event, source="calls") for event in events])


def shown(loop: Loop) -> dict[str, Any]:
    board: dict[str, Any] = loop.request("GET /equipment/{id}/board", path=PRESS).body
    return board


def test_an_open_call_is_shown_with_what_it_takes_to_answer_it(loop: Loop) -> None:
    hear(loop, call_fact(1, "call-raised", 0))
    raised = shown(loop)
    hear(loop, call_fact(1, "call-taken", 1))
    taken = shown(loop)
    hear(loop, call_fact(1, "call-closed", 2))

    [call] = raised["calls"]
    assert {name: call[name] for name in ("version", "category", "priority", "status")} == {
        "version": 1,
        "category": "material",
        "priority": 2,
        "status": "raised",
    }
    assert not {"text", "taker"} & call.keys()
    assert taken["calls"][0]["taker"] == sample("domain", "call-taken")["call"]["taker"]
    assert "calls" not in shown(loop)
    assert raised["version"] < taken["version"] < shown(loop)["version"]


def test_calls_are_shown_by_priority_the_oldest_first(loop: Loop) -> None:
    for number, (category, priority) in enumerate([("water", 2), ("material", 2), ("safety", 1)]):
        raised_at = f"2026-01-01T09:00:0{number}.000Z"
        said = {"category": category, "priority": priority, "raisedAt": raised_at}
        hear(loop, call_fact(number, "call-raised", number, **said))

    assert [one["category"] for one in shown(loop)["calls"]] == ["safety", "water", "material"]


def test_the_next_call_of_a_category_is_shown_in_whatever_order_the_facts_arrive(loop: Loop) -> None:
    events = [
        call_fact(1, "call-raised", 0),
        call_fact(1, "call-closed", 5),
        call_fact(2, "call-raised", 6),
    ]
    seen = set()
    for order in permutations(events):
        loop.clear()
        loop.listen([body_of(fact("equipment-created"))])
        hear(loop, *order, order[0])
        seen.add(tuple(one["id"] for one in shown(loop)["calls"]))

    assert seen == {("00000000-0000-0000-0000-000000000002",)}


def test_whoever_makes_up_categories_does_not_fill_the_row(loop: Loop) -> None:
    """Nor does the version fall when the oldest go."""
    versions = []
    for number in range(CALLS.most + 5):
        hear(loop, call_fact(number, "call-raised", number, category=f"c-{number}"))
        versions.append(version_of(TABLE.get(KEYS.of("press-7")) or {}))

    assert len(shown(loop)["calls"]) == CALLS.most
    assert versions == sorted(set(versions))


def test_the_cause_is_that_of_the_newest_episode(loop: Loop) -> None:
    wire = sample("domain", "cause-recorded")
    newest, corrected = wire["cause"], wire["cause"] | {"cause": "bent-guide"}
    old = wire["cause"] | {"startedAt": "2025-12-30T00:00:00.000Z", "cause": "old"}
    said = [(newest, 0), (corrected, 5), (old, 9)]
    events = [
        DomainEvent.from_wire(wire | {"id": f"cause {at}", "timestamp": wire["timestamp"] + at, "cause": cause})
        for cause, at in said
    ]
    for order in permutations(events):
        loop.clear()
        loop.listen([body_of(fact("equipment-created"))])
        hear(loop, *order)

        assert shown(loop)["lastCause"] == {"startedAt": newest["startedAt"], "cause": "bent-guide"}

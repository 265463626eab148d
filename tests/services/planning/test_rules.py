"""What planning decides about the orders of a machine: what is next and under way, and what is overdue."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.packages.package import Package
from andon.rules.control import control_changes
from andon.rules.rule import Rules
from andon.rules.sweep import sweep
from andon.runtime import times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.log_lines import logged
from andon.testing.loop import Loop
from andon.testing.world import alone
from services.planning.control import CONTROL
from services.planning.facts import FACTS
from services.planning.rules import upkeep
from tests.support.samples import body_of, fact

BEGIN: Final = times.to_ms("2026-01-01T09:00:00Z")
PLANNING: Final = Package("services", "planning")
KINDS: Final = ("grease", "oil")
LAST: Final = BEGIN + 20 * DAY_MS


class Step(NamedTuple):
    """A change of an order: at a second, to a status, planned for a day of January."""

    second: int
    kind: str
    status: str
    day: int


def facts_of(steps: Sequence[Step]) -> list[DomainEvent]:
    """Return the facts of the orders, whose life goes one way."""
    made: list[DomainEvent] = []
    orders: dict[str, dict[str, Any]] = {}
    for step in sorted(steps):
        before = orders.get(step.kind, {"version": 0, "status": ""})
        status = step.status if before["version"] else "planned"
        if before["status"] == "finished" or (before["status"] == "started" and status != "finished"):
            continue
        order = {**before, "kind": step.kind, "version": before["version"] + 1, "status": status}
        if status == "planned":
            order["plannedFor"] = f"2026-01-{step.day:02}"
        if status == "started":
            order["startedAt"] = times.to_utc(BEGIN)
        orders[step.kind] = order
        name = f"maintenance-{'moved' if status == 'planned' and before['version'] else status}"
        made.append(fact(name, id=f"{step.kind} {order['version']}", at=BEGIN + step.second * 1000, **order))
    return made


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        yield loop


def decided(loop: Loop, facts: Sequence[DomainEvent]) -> list[dict[str, Any]]:
    """Deliver facts as they are listed; return what was decided by the end, by time."""
    loop.clear()
    with frozen_clock(BEGIN + MINUTE_MS):
        assert loop.deliver(PLANNING, [body_of(one, source="maintenance") for one in facts]) == []
        published = loop.run() + loop.sweep()
    for day in range(1, 21):
        with frozen_clock(BEGIN + day * DAY_MS):
            loop.invoke(PLANNING, "sweep", {})
            published += loop.run()
    return sorted((one["detail"] for one in published if one["source"] == "planning"), key=lambda one: one["timestamp"])


MOST: Final = 20


def decided_by(loop: Loop, facts: Sequence[DomainEvent]) -> tuple[list[dict[str, Any]], bool]:
    """Deliver facts to rules that look at few; return what was decided by the end, and if one saw too little."""
    few = tuple(rule._replace(most=MOST) for rule in CONTROL.rules.all)
    control = CONTROL._replace(rules=Rules(CONTROL.rules.source, CONTROL.rules.types, few))
    context, flooded = LocalContext("planning"), 0
    loop.clear()
    with frozen_clock(BEGIN + MINUTE_MS):
        for start in range(0, len(facts), 10):
            bodies = [body_of(one, source="maintenance") for one in facts[start : start + 10]]
            assert loop.deliver(PLANNING, bodies) == []
        while records := loop.new_records("PLANNING_TABLE"):
            control_changes({"Records": records}, context, facts=FACTS, control=control)
    for day in range(1, 21):
        with frozen_clock(BEGIN + day * DAY_MS), logged() as lines:
            sweep(context, control=control)
            flooded += sum(line.get("flooded", 0) for line in lines)
            control_changes({"Records": loop.new_records("PLANNING_TABLE")}, context, facts=FACTS, control=control)
    return [json.loads(body)["detail"] for body in alone(loop.new_bodies())], bool(flooded)


def upkeep_by(steps: Sequence[DomainEvent]) -> tuple[list[str], str | None]:
    """Return what is under way and what is next, by a model."""
    orders: dict[str, dict[str, Any]] = {}
    for event in steps:
        orders[event.entities["order"]["kind"]] = event.entities["order"]
    planned = sorted((one["plannedFor"], kind) for kind, one in orders.items() if one["status"] == "planned")
    under_way = sorted((one["plannedFor"], kind) for kind, one in orders.items() if one["status"] == "started")
    return [kind for _, kind in under_way], planned[0][1] if planned else None


def overdue_by(facts: Sequence[DomainEvent]) -> set[tuple[str, str]]:
    """Return the orders that were not finished at the end of a day that they were planned for, by a model."""
    found: set[tuple[str, str]] = set()
    for kind in KINDS:
        own = [event for event in facts if event.entities["order"]["kind"] == kind]
        plans = [event for event in own if event.type in {"maintenance-planned", "maintenance-moved"}]
        if plans and own[-1].type != "maintenance-finished":
            found.add((kind, plans[-1].entities["order"]["plannedFor"]))
    return found


STEPS: Final = st.builds(
    Step,
    second=st.integers(0, 60),
    kind=st.sampled_from(KINDS),
    status=st.sampled_from(["planned", "planned", "started", "finished"]),
    day=st.integers(2, 15),
)


@given(
    st.lists(STEPS, min_size=1, max_size=8, unique_by=lambda step: (step.second, step.kind)),
    st.randoms(use_true_random=False),
)
@example([Step(0, "grease", "planned", 9), Step(0, "oil", "planned", 8)], Random(1))  # noqa: S311  at the same time
def test_in_every_order_it_decides_what_is_so(loop: Loop, steps: list[Step], chance: Random) -> None:
    facts = facts_of(steps)
    shuffled = [*facts, *chance.sample(facts, k=len(facts) // 2)]
    chance.shuffle(shuffled)

    events = decided(loop, shuffled)

    standing = [event["upkeep"] for event in events if event["type"] == "upkeep-changed"]
    under_way, coming = upkeep_by(facts)
    assert [one["kind"] for one in standing[-1]["underWay"]] == under_way
    assert standing[-1].get("next", {}).get("kind") == coming
    by_time = {one["timestamp"]: (one["underWay"], one.get("next")) for one in standing}
    assert all((one["underWay"], one.get("next")) == by_time[one["timestamp"]] for one in standing), "of one time"
    assert all(one != other for one, other in pairwise(by_time.values())), "said once"
    overdue = [event["overdue"] for event in events if event["type"] == "maintenance-overdue"]
    assert {(one["kind"], one["plannedFor"]) for one in overdue} == overdue_by(facts)
    assert len(overdue) == len(overdue_by(facts))


def test_an_order_that_was_finished_in_time_is_not_overdue_behind_the_facts_of_other_orders(loop: Loop) -> None:
    own = facts_of(
        [Step(0, "grease", "planned", 5), Step(50, "grease", "started", 5), Step(51, "grease", "finished", 5)]
    )
    others = [
        fact(
            f"maintenance-{status}",
            id=f"{kind} {version}",
            at=BEGIN + 1_000 + kind,
            kind=f"kind-{kind}",
            version=version,
            status=status,
            plannedFor="2026-02-20",
            **({"startedAt": times.to_utc(BEGIN)} if status == "started" else {}),
        )
        for kind in range(MOST)
        for version, status in ((1, "planned"), (2, "started"))
    ]

    events, flooded = decided_by(loop, [*own, *others])

    assert [one["type"] for one in events if one["type"] == "maintenance-overdue"] == []
    said = [[order["kind"] for order in one["upkeep"]["underWay"]] for one in events if one["type"] == "upkeep-changed"]
    assert flooded  # of what is not seen whole, nothing is said: what is said, is so
    assert all(set(kinds) == {f"kind-{kind}" for kind in range(len(kinds))} for kinds in said)


def test_more_orders_under_way_than_can_be_said_are_faults(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "MOST_UNDER_WAY", 1)
    both = [Step(at, kind, "started", 9) for at, kind in ((1, "grease"), (2, "oil"))]
    steps = [*(step._replace(second=step.second - 1, status="planned") for step in both), *both]

    events = decided(loop, facts_of([*steps, Step(9, "oil", "finished", 9)]))

    counts = [len(one["upkeep"]["underWay"]) for one in events if one["type"] == "upkeep-changed"]
    assert 1 in counts
    assert 2 not in counts
    (fault,) = (one["fault"] for one in events if one["type"] == "fault")
    assert fault["consumer"] == "planning.rule-upkeep"


def test_an_order_of_this_month_next_year_is_overdue_then(loop: Loop) -> None:
    loop.clear()
    planned = fact("maintenance-planned", at=BEGIN, plannedFor="2027-01-01")
    with frozen_clock(BEGIN):
        assert loop.deliver(PLANNING, [body_of(planned)]) == []
        loop.run()
    for days, expected in ((365, 0), (366, 1)):
        with frozen_clock(BEGIN + days * DAY_MS):
            assert len([one for one in loop.sweep() if one["detail-type"] == "maintenance-overdue"]) == expected

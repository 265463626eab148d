"""Facts that share a message: the same rows, counts and faults as if each had come alone; none brings others again."""

import json
import os
from collections import Counter, defaultdict
from functools import partial
from itertools import chain, count
from typing import Any

import pytest
from events.test_received import cuts
from hypothesis import given
from hypothesis import strategies as st

from andon.events.fault import MAX_MESSAGE_CHARACTERS
from andon.events.group import MOST_FACTS, body_of
from andon.events.received import received
from andon.testing import crash_points
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines, logged
from andon.testing.wire import Parameters, Wire
from andon.views.materialize import materialize
from andon.views.outcome import Outcome
from andon.wire.queue import OWN, beside
from andon.wire.retries import ATTEMPTS
from toys.clock import NOW
from toys.things import VIEW, World, happened, message

SERVICES = (*crash_points.SERVICES, "sqs")
NAMES = [f"thing of a group {number}" for number in range(4)]


def painted(name: str, *, at: int = NOW, **fields: object) -> str:
    return message(happened("painted", name, id=f"{name} {at}", at=at, colour="red", **fields))


POISON = message(happened("painted", "", id="poison"))

FACTS = [
    *(painted(name, at=NOW - 10 * number) for name in NAMES for number in range(2)),
    *(message(happened("weighed", name, id=f"{name} weighed", grams=5)) for name in NAMES),
    painted(NAMES[0], at=0),  # it expired long ago
    POISON,
]


def deliver(*bodies: str) -> list[str]:
    answer = materialize(sqs_event(bodies), LocalContext("things-listener"), listener=VIEW)
    return [bodies[int(failure["itemIdentifier"].rpartition("-")[2])] for failure in answer["batchItemFailures"]]


def put_back(world: World) -> list[str]:
    return world.queues.take(beside(os.environ[OWN], VIEW.queue))


def facts_in(body: str) -> list[dict[str, Any]]:
    detail = json.loads(body)["detail"]
    facts: list[dict[str, Any]] = detail.get("facts", [detail])
    return facts


def bad_facts(fault: dict[str, Any]) -> list[str]:
    """Return the messages in which the facts of a fault would have come alone: as many as it says."""
    bodies = [one.body for one in received(sqs_event([fault["message"]])["Records"])]
    assert len(bodies) == fault.get("facts", 1)
    return bodies


def end(world: World, lines: LogLines) -> Any:  # noqa: ANN401
    """Return the rows, the faults, and what was counted."""
    rows = world.rows("THINGS_TABLE")
    faults = sorted(chain.from_iterable(bad_facts(fault["detail"]["fault"]) for fault in world.new_envelopes()))
    counts = Counter[str]()
    for line in lines:
        counts.update({name: count for name, count in line.items() if name in {*Outcome, "received", "put_back"}})
    return rows, faults, +counts


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw facts, some of them twice, in any order; and the messages in which they come, by type."""
    some = draw(st.lists(st.sampled_from(FACTS), min_size=2, max_size=14))
    by_type = defaultdict[str, list[str]](list)
    for body in some:
        by_type[json.loads(body)["detail-type"]].append(body)
    of_types = [draw(cuts(bodies)) if len(bodies) > 1 else bodies for bodies in by_type.values()]
    return some, draw(st.permutations([*chain.from_iterable(of_types)]))


@given(deliveries())
def test_rows_counts_and_faults_are_the_same_in_whatever_groups_facts_come(
    world: World, both: tuple[list[str], list[str]]
) -> None:
    ends = []
    for bodies in both:
        world.clear()
        with logged() as lines:
            assert deliver(*bodies) == []
            ends.append(end(world, lines))
        assert put_back(world) == []

    assert ends[0] == ends[1]


def group(*bodies: str) -> str:
    return body_of(bodies)


def is_about(*names: str) -> Any:  # noqa: ANN401
    def about(parameters: Parameters) -> bool:
        return parameters["Key"]["pk"]["S"] in names

    return about


def test_what_failed_of_a_group_comes_again_by_itself_and_what_is_done_does_not(
    world: World, name: str, wire: Wire, log_lines: LogLines
) -> None:
    names = [f"{name} {number}" for number in range(5)]
    wire.fail("UpdateItem", "ThrottlingException", when=is_about(names[1], names[3]))

    assert deliver(group(*map(painted, names))) == []

    [(_, pause_s)] = world.queues.messages(beside(os.environ[OWN], VIEW.queue))
    assert pause_s == 10
    [again] = put_back(world)
    assert [fact["thing"]["name"] for fact in facts_in(again)] == [names[1], names[3]]
    assert {one: log_lines[-1].get(one) for one in ("applied", "failed", "put_back")} == {
        "applied": 3,
        "failed": 2,
        "put_back": 2,
    }
    assert log_lines[-1]["unprocessed"] == 1


def test_one_that_is_left_goes_back_alone_as_it_would_have_come(world: World, name: str, wire: Wire) -> None:
    wire.fail("UpdateItem", "ThrottlingException", when=is_about(f"{name}!"))

    deliver(group(painted(name), painted(f"{name}!")))

    assert put_back(world) == [painted(f"{name}!")]


def test_a_group_of_which_all_failed_comes_again_itself(world: World, name: str, wire: Wire) -> None:
    wire.fail("UpdateItem", "ThrottlingException")
    whole = group(painted(name), painted(f"{name}!"))

    assert deliver(whole) == [whole]
    assert put_back(world) == []


@pytest.mark.parametrize("broken", ["the queue", "the variable"])
def test_what_cannot_be_put_back_comes_again_with_its_neighbours(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines, broken: str
) -> None:
    whole = group(painted(name), painted(f"{name}!"))
    with Wire(("dynamodb", "sqs")) as wire:
        wire.fail("UpdateItem", "ThrottlingException", when=is_about(f"{name}!"))
        if broken == "the queue":
            wire.fail("SendMessageBatch", "AccessDeniedException")
        else:
            monkeypatch.delenv(OWN)
        assert deliver(whole) == [whole]

    monkeypatch.undo()
    assert put_back(world) == []
    assert "put_back" not in log_lines[-1]
    assert deliver(whole) == []
    assert (log_lines[-1]["duplicate"], log_lines[-1]["applied"]) == (1, 1)


def test_a_fault_that_cannot_be_published_goes_back_without_its_neighbours(
    world: World, name: str, wire: Wire, pauses: list[float]
) -> None:
    wire.fail("PutEvents", "AccessDeniedException")

    assert deliver(group(painted(name), POISON)) == []

    assert put_back(world) == [POISON]
    assert pauses


@pytest.mark.parametrize("bad", [{}, {"id": "x" * 100}], ids=["{}", "of some length"])
def test_a_thousand_bad_facts_of_one_group_are_few_faults_whatever_their_envelope_brings(
    world: World, log_lines: LogLines, bad: dict[str, str]
) -> None:
    envelope = {**json.loads(POISON), "resources": ["x" * 180_000], "detail": {"group": 1, "facts": [bad] * MOST_FACTS}}

    assert deliver(json.dumps(envelope)) == []

    faults = [fault["detail"]["fault"] for fault in world.new_envelopes()]
    assert sum(fault["facts"] for fault in faults) == log_lines[-1]["fault"] == MOST_FACTS
    assert len(faults) <= 8
    assert all(len(fault["message"]) <= MAX_MESSAGE_CHARACTERS for fault in faults)
    assert [json.loads(body)["detail"] for fault in faults for body in bad_facts(fault)] == [bad] * MOST_FACTS
    assert not any("resources" in fault["message"] for fault in faults)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.data())
def test_whatever_fails_how_often_tries_are_few_neighbours_are_done_and_who_fails_for_ever_is_alone_with_his_like(
    world: World, name_of_failures: list[int], data: st.DataObject
) -> None:
    """A fact fails as often as it says, 9 for ever; SQS gives up on a message that came five times."""
    failures = {f"fact {number}": count for number, count in enumerate(name_of_failures)}
    left = Counter({name: 10**6 if count == 9 else count for name, count in failures.items()})
    world.clear()

    def throttled(parameters: Parameters) -> bool:
        name = parameters["Key"]["pk"]["S"]
        left[name] -= 1
        return left[name] >= 0

    waiting, dead, tries = [(group(*map(painted, failures)), 0)], list[str](), 0
    with Wire() as wire:
        wire.fail("UpdateItem", "ThrottlingException", when=throttled)
        while waiting:
            at = data.draw(st.integers(0, len(waiting) - 1))
            body, received = waiting.pop(at)
            tries += 1
            again = deliver(body)
            waiting += [(one, received + 1) for one in again if received < 4]
            dead += [one for one in again if received == 4]
            waiting += [(one, 0) for one in put_back(world)]

    assert tries <= 5 * len(failures)
    gave_up = [fact["thing"]["name"] for body in dead for fact in facts_in(body)]
    done = {row["pk"] for row in world.rows("THINGS_TABLE")}
    assert {*done, *gave_up} == {*failures}
    assert {name for name, count in failures.items() if count < 5} <= done
    assert not done & {name for name, count in failures.items() if count == 9}


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_a_group_that_is_broken_at_any_call_be_it_what_puts_back_ends_up_the_same(
    world: World, pauses: list[float], interruption: Interruption
) -> None:
    def run(breaking: Breaking) -> Any:  # noqa: ANN401
        world.clear()
        throttled = count()
        world.refuse(
            lambda _, request: (
                "ThrottlingException" if is_about(NAMES[1])(request) and next(throttled) < ATTEMPTS else None
            )
        )
        waiting = [group(*map(painted, NAMES[:3]), POISON)]
        while waiting:
            body = waiting.pop()
            again = breaking.interrupt(partial(deliver, body))
            waiting += [body] if again is None else again
            waiting += put_back(world)
        rows, faults, _ = end(world, [])
        return rows, {*faults}

    as_it_is = run(Breaking.nothing())
    broken = [(breaking, ended) for breaking, ended in broken_at_every_call(interruption, run, services=SERVICES)]

    assert {"SendMessageBatch", "PutEvents", "UpdateItem"} <= {breaking.broken for breaking, _ in broken}
    assert [str(breaking) for breaking, ended in broken if ended != as_it_is] == []
    assert pauses

"""The world in memory brings messages as the template and its faults say; a prover counts what there was."""

import os
from collections.abc import Callable
from functools import cached_property
from random import Random
from threading import Event, Thread
from typing import Any, Final

import pytest

from andon.packages.discovery import readers
from andon.runtime import times
from andon.testing.lambda_events import http_event
from andon.testing.proving.memory import START_MS, InMemory
from andon.testing.proving.prover import ProvedPart, Prover, Record, prove
from andon.testing.proving.settings import DeployedSettings, settings
from andon.testing.proving.world import NO_FAULTS, Faults, LivingWorld
from andon.testing.synthesised import Synthesised
from andon.wire import aws
from andon.wire.queue import name_of

PACKAGE: Final = readers()[0]
QUEUE: Final = name_of(PACKAGE.name)
FILE: Final = PACKAGE.path("listener")
BODY: Final = "no JSON"  # a listener makes a fault of it, by a call


def world(faults: Faults = NO_FAULTS, *, seed: int = 1, **changed: Any) -> InMemory:  # noqa: ANN401
    known = settings()
    queues = {**known.queues, QUEUE: known.queues[QUEUE]._replace(**changed)}
    return InMemory(Random(seed), faults, deployed_as=known._replace(queues=queues))  # noqa: S311  no secrets


def send(made: InMemory, number: int = 1) -> None:
    for _ in range(number):
        aws.call("sqs", "send_message", QueueUrl=made.address(QUEUE), MessageBody=BODY)


def begun_s(made: InMemory) -> list[float]:
    return [(at_ms - START_MS) / 1000 for at_ms, file in made.begun if file == FILE]


def test_settings_are_those_of_the_template(template: Synthesised) -> None:
    made, functions = DeployedSettings.of(template), template.functions()

    waiting = [one for one in template.of_type("AWS::SQS::Queue").values() if "RedrivePolicy" in one]
    assert sorted(one.hidden_s for one in made.queues.values()) == sorted(one["VisibilityTimeout"] for one in waiting)
    assert {file: functions[file]["Timeout"] for file in made.timeout_s} == made.timeout_s
    held_back = {one["Environment"]["Variables"].get("HOLD_BACK_SECONDS") for one in functions.values()}
    assert {None, made.variables["HOLD_BACK_SECONDS"]} == held_back


def test_a_message_comes_after_the_delay_of_its_queue_and_handlers_have_the_variables_of_the_template() -> None:
    with world(delay_s=7) as made:
        send(made)
        made.wait(60)

        assert begun_s(made) == [7]
        assert os.environ["HOLD_BACK_SECONDS"] == settings().variables["HOLD_BACK_SECONDS"]


@pytest.mark.parametrize(("size", "batches"), [(1, 5), (3, 2), (10, 1)])
def test_messages_come_in_batches(size: int, batches: int) -> None:
    with world(size=size, at_a_time=10) as made:
        send(made, 5)
        made.wait(60)

        assert begun_s(made) == [0] * batches


def test_a_killed_invocation_comes_again_when_its_message_is_visible_and_ends_as_a_dead_letter() -> None:
    with world(Faults(kill=1), hidden_s=30, receives=4) as made:
        send(made)
        made.wait(3_600)

        assert begun_s(made) == [0, 30, 60, 90]
        assert made.dead == [(QUEUE, BODY)]
        assert made.counts["kill"] >= 4


def test_messages_come_twice_and_late_as_faults_say() -> None:
    with world(Faults(twice=1, late=1, late_s=50)) as made:
        send(made, 10)
        made.wait(60)

        assert len(begun_s(made)) == 20
        assert 0 < min(begun_s(made)) < max(begun_s(made)) <= 50
        assert made.counts["twice"] >= 10


def test_only_roles_that_are_named_are_hit() -> None:
    with world(Faults(kill=1, twice=1, roles=frozenset({"sweep"}))) as made:
        send(made)
        made.wait(50)

        assert begun_s(made) == [0]


@pytest.mark.parametrize(("at_a_time", "overlaps"), [(1, False), (2, True)])
def test_as_many_workers_overlap_as_a_queue_lets(at_a_time: int, *, overlaps: bool) -> None:
    with world(Faults(slow_ms=1_000), size=1, at_a_time=at_a_time) as made:
        send(made, 2)
        made.wait(60)

        [first, second] = begun_s(made)
        assert (first == second) == overlaps


def test_a_worker_that_rests_in_a_cached_property_holds_nobody_else_up() -> None:
    is_done = Event()

    class Kept:
        @cached_property
        def first(self) -> bool:
            return is_done.wait(10)

        @cached_property
        def second(self) -> None:
            is_done.set()

    same = cached_property(lambda one: one.first if one is resting else one.second)
    same.__set_name__(Kept, "same")
    resting = Kept()
    with world():
        first = Thread(target=lambda: same.__get__(resting))
        first.start()
        same.__get__(Kept())
        first.join()

    assert resting.__dict__["same"]


def test_requests_at_once_go_on_side_by_side() -> None:
    with world(Faults(slow_ms=1_000)) as made:
        report = "PUT /equipment/{id}/states/{timestamp}"
        path = {"id": "press-7", "timestamp": times.to_utc(START_MS)}
        states = ("ERROR", "NORMAL", "WARNING1")
        answers = made.call_at_once(http_event(report, path=path, body={"state": state}) for state in states)

    assert sorted(one["statusCode"] for one in answers) == [201, 409, 409]


def test_a_run_is_the_same_for_the_same_seed() -> None:
    def run(seed: int) -> list[float]:
        with world(Faults(kill=0.2, twice=0.5, late=0.5, slow_ms=100), seed=seed) as made:
            send(made, 20)
            made.wait(600)
            return begun_s(made)

    assert run(1) == run(1) != run(2)


def nothing(world: LivingWorld, _: Random, record: Record) -> None:
    record.expect("nothing is wrong", held=True)
    world.wait(1)


def a_message(world: LivingWorld, _: Random, record: Record) -> None:
    assert isinstance(world, InMemory)
    send(world)
    world.wait(1)
    record.expect("nothing is wrong", held=True)


@pytest.mark.parametrize(
    ("part", "faults", "seeds", "is_broken"),
    [
        (nothing, NO_FAULTS, 1, False),
        (nothing, Faults(kill=0.5), 1, True),  # there was no occasion
        (a_message, Faults(kill=1), 1, False),
        (a_message, Faults(kill=0.000_001), 1, False),  # dice missed it
        (a_message, Faults(kill=0.000_001), 2, True),  # over several seeds that is no excuse
        (a_message, Faults(lose=0.5), 1, False),
    ],
)
def test_a_part_whose_faults_never_happen_fails(
    part: Callable[[LivingWorld, Random, Record], None], faults: Faults, seeds: int, *, is_broken: bool
) -> None:
    record = prove(Prover({"one": ProvedPart(part, faults)}), seeds=range(seeds))

    assert bool(record.broken) == is_broken, record.text()


def test_what_goes_wrong_in_a_part_is_a_finding_with_its_seed_and_others_go_on() -> None:
    def breaks(_: LivingWorld, dice: Random, record: Record) -> None:
        record.expect("numbers are small", held=False, seen=dice.random())
        raise ValueError("no more")

    record = prove(
        Prover({"bad": ProvedPart(breaks), "good": ProvedPart(nothing), "away": ProvedPart(breaks, in_memory=False)}),
        seeds=[5],
    )

    assert {*record.broken} == {"bad: numbers are small", "bad: it can be tried"}
    assert record.shown["bad: it can be tried"] == "seed 5: ValueError: no more"
    assert record.tried["good: nothing is wrong"] == 1
    assert "away: is proved deployed only" in record.text()

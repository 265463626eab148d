"""Commands of dispatch that are broken at every call to AWS that they make, and asked for again by their client."""

from collections.abc import Iterator
from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.dispatch.shop import log, open_shop, reported
from tests.support.samples import NOW
from tests.support.services.broken_commands import Scenario, Suite
from tests.support.services.reports import (
    ACKNOWLEDGE,
    ACKNOWLEDGEMENT,
    ASSIGN,
    ASSIGNMENT,
    ESCALATION,
    ROSTER,
    acknowledge,
    assign,
    log_path,
)


def first_assignment(loop: Loop, id_: str) -> Answer:
    return assign(loop, id_, "Liz")


def assignment_by_rule(loop: Loop, id_: str) -> None:
    open_shop(loop, id_)
    reported(loop, id_, "ERROR", 0)


def assignment_over_a_rule(loop: Loop, id_: str) -> Answer:
    return assign(loop, id_, "Ann", path=log(id_, "ERROR", 0))


def first_acknowledgement(loop: Loop, id_: str) -> Answer:
    return acknowledge(loop, id_)


SCENARIOS = [
    Scenario(name="first assignment", route=ASSIGN, command=first_assignment, status=201),
    Scenario(
        name="assignment over a rule's",
        route=ASSIGN,
        before=(assignment_by_rule,),
        command=assignment_over_a_rule,
        status=200,
    ),
    Scenario(name="first acknowledgement", route=ACKNOWLEDGE, command=first_acknowledgement, status=201),
    Scenario(
        name="second acknowledgement",
        route=ACKNOWLEDGE,
        before=(first_acknowledgement,),
        command=first_acknowledgement,
        status=200,
        facts=0,
    ),
]


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    """Everything, for this file alone: its ids are sentences."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


def seen(loop: Loop, id_: str) -> Any:  # noqa: ANN401  answers
    """Return all that clients can read, without the times at which it was done."""
    answers = [
        loop.request(route, path=path)
        for path in (log_path(id_), log(id_, "ERROR", 0))
        for route in (ASSIGNMENT, ESCALATION, ACKNOWLEDGEMENT)
    ]
    answers.append(loop.request(ROSTER, path={"factoryId": id_}))
    return [without_names(answer, id_) for answer in answers]


def without_names(answer: Answer, id_: str) -> Any:  # noqa: ANN401
    """Return an answer without the members that differ between two things of the same content."""
    body = answer.body if answer.status < 300 else None
    kept = {k: v for k, v in (body or {}).items() if k not in {"acknowledgedAt", "triggers"} and v != id_}
    return answer.headers.get("etag"), kept


def published(loop: Loop, id_: str) -> list[str]:
    """Return the types of what was published about a piece of equipment since the last time."""
    return [one["detail-type"] for one in loop.run() if one["detail"].get("partitionKey") == id_]


SUITE = Suite(
    seen=seen,
    published=published,
    said=without_names,
    timeless=lambda view: view,
    upserts=frozenset({ACKNOWLEDGE}),  # the answer says whose acknowledgement was the first
    now_ms=NOW + 1,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_command_that_is_broken_at_any_call_is_done_or_not_and_a_retry_leaves_it_done_once(
    loop: Loop, scenario: Scenario
) -> None:
    SUITE.check(loop, scenario)

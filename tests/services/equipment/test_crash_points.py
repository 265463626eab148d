"""Each command is broken at every call to AWS that it makes, and asked for again by its client."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.equipment.routes import ROUTES
from tests.support.samples import NOW
from tests.support.services import reports
from tests.support.services.broken_commands import Scenario, Suite
from tests.support.services.versions import (
    AUDIT,
    AUDITS,
    DELETE,
    PUT,
    ROLLBACK,
    audit,
    delete,
    everything,
    get,
    put,
    reap,
    revisions,
    roll_back,
    told,
    versions,
)

STREAM_FIRST = {"POST /states"}  # it writes no row, so that nothing can be half done


def create(loop: Loop, equipment_id: str) -> Answer:
    return put(loop, equipment_id)


def update(loop: Loop, equipment_id: str) -> Answer:
    return put(loop, equipment_id, "another press", if_match=1)


def update_of_somebody(loop: Loop, equipment_id: str) -> Answer:
    return put(loop, equipment_id, "their press", if_match=2, subject="somebody else")


def update_ahead(loop: Loop, equipment_id: str) -> Answer:
    with frozen_clock(NOW + 2 * 60_000):
        return update(loop, equipment_id)


def update_again(loop: Loop, equipment_id: str) -> Answer:
    return put(loop, equipment_id, "a third press", if_match=2)


def change_nothing(loop: Loop, equipment_id: str) -> Answer:
    return put(loop, equipment_id, if_match=1)


def retire(loop: Loop, equipment_id: str) -> Answer:
    return delete(loop, equipment_id, if_match=1)


def back_to_the_first(loop: Loop, equipment_id: str) -> Answer:
    return roll_back(loop, equipment_id, 1, if_match=2)


def first_audit(loop: Loop, equipment_id: str) -> Answer:
    return audit(loop, equipment_id)


def second_audit(loop: Loop, equipment_id: str) -> Answer:
    return audit(loop, equipment_id, "failed", if_match=1)


def report(loop: Loop, equipment_id: str) -> Answer:
    return reports.report(loop, equipment_id)


def the_ttl_service(_: Loop, equipment_id: str) -> None:
    reap(equipment_id)


SCENARIOS = [
    Scenario(name="create", route=PUT, command=create, status=201),
    Scenario(name="update", route=PUT, before=(create,), command=update, status=200),
    Scenario(
        name="update by a clock that is behind",
        route=PUT,
        before=(create, update_ahead),
        command=update_again,
        status=200,
    ),
    Scenario(
        name="update that changes nothing", route=PUT, before=(create,), command=change_nothing, status=200, facts=0
    ),
    Scenario(name="retry of an update", route=PUT, before=(create, update), command=update, status=200, facts=0),
    Scenario(
        name="retry of an update behind another's",
        route=PUT,
        before=(create, update, update_of_somebody),
        command=update,
        status=200,
        facts=0,
    ),
    Scenario(
        name="retry of a create behind an update",
        route=PUT,
        before=(create, update),
        command=create,
        status=201,
        facts=0,
    ),
    Scenario(name="recreate", route=PUT, before=(create, retire), command=create, status=201),
    Scenario(
        name="recreate by the tombstone's version",
        route=PUT,
        before=(create, retire),
        command=lambda loop, equipment_id: put(loop, equipment_id, if_match=2),
        status=201,
    ),
    Scenario(
        name="recreate after the TTL service",
        route=PUT,
        before=(create, retire, the_ttl_service),
        command=create,
        status=201,
    ),
    Scenario(name="delete", route=DELETE, before=(create,), command=retire, status=204),
    Scenario(name="retry of a delete", route=DELETE, before=(create, retire), command=retire, status=204, facts=0),
    Scenario(name="rollback", route=ROLLBACK, before=(create, update), command=back_to_the_first, status=200),
    Scenario(name="first audit", route=AUDIT, before=(create,), command=first_audit, status=201),
    Scenario(name="second audit", route=AUDIT, before=(create, first_audit), command=second_audit, status=200),
    Scenario(name="report", route=reports.REPORT, command=report, status=201),
]


def seen(loop: Loop, equipment_id: str) -> Any:  # noqa: ANN401  answers
    """Read all that readers can see of a piece of equipment, whatever it is called."""
    path = {"id": equipment_id}
    current = get(loop, equipment_id)
    view = {
        "current": (current.status, current.body if current.status == 200 else None),
        "as of now": (get(loop, equipment_id, query={"asOf": "2020-05-01T00:00:00Z"}).body or {}).get("version"),
        "versions": versions(loop, equipment_id),
        "audits": everything(loop, AUDITS, path),
        "revisions": revisions(loop, equipment_id),
        "states": everything(loop, reports.STATES, path),
    }
    return nameless(view, equipment_id)


def nameless(view: object, equipment_id: str) -> Any:  # noqa: ANN401
    """Forget what a piece of equipment is called."""
    return json.loads(json.dumps(view).replace(json.dumps(equipment_id), '"it"'))


def timeless(view: Any) -> Any:  # noqa: ANN401
    """Forget when changes were made."""
    if isinstance(view, list):
        return [timeless(one) for one in view]
    if isinstance(view, dict):
        return {name: timeless(value) for name, value in view.items() if name != "changedAt"}
    return view


def said(answer: Answer, equipment_id: str) -> Any:  # noqa: ANN401
    return timeless(nameless([answer.headers.get("etag"), answer.body], equipment_id))


SUITE = Suite(seen=seen, published=told, said=said, timeless=timeless, upserts=frozenset({reports.REPORT}))


@pytest.fixture
def empty_loop() -> Iterator[Loop]:
    """Everything, empty, without moto: every command is made hundreds of times."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


def test_every_command_of_the_service_that_writes_a_row_is_broken_here() -> None:
    commands = {route for route in ROUTES if not route.startswith("GET ")}

    assert {scenario.route for scenario in SCENARIOS} == commands - STREAM_FIRST


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_command_that_is_broken_at_any_call_is_done_or_not_and_a_retry_leaves_it_done_once(
    empty_loop: Loop, scenario: Scenario
) -> None:
    SUITE.check(empty_loop, scenario)

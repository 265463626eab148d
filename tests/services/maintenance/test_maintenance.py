"""What maintenance promises its callers; what it promises as a package, the laws try. Readings: `test_readings.py`."""

from functools import partial
from typing import Any

import pytest

from andon.http.derived import model_of
from andon.runtime.clock import DAY_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from services.maintenance.bodies import ORDER as ORDER_RESPONSE
from tests.services.maintenance.requests import FINISH, GET, NOW, PLAN, START, facts, register, send, statuses
from tests.services.maintenance.samples import ORDER


def test_an_order_is_planned_moved_started_and_finished(loop: Loop) -> None:
    with frozen_clock(NOW):
        planned = send(loop, PLAN, {"minutes": 45})
        moved = send(loop, PLAN, {"plannedFor": "2026-01-11"}, if_match=1)
        started = send(loop, START)
        finished = send(loop, FINISH, {"result": "done"})

        assert [one.status for one in (planned, moved, started, finished)] == [201, 200, 200, 200]
        assert facts(loop) == [("planned", 1), ("moved", 2), ("started", 3), ("finished", 4)]
        assert send(loop, GET).body == finished.body
        assert statuses(loop) == [(1, "planned"), (2, "planned"), (3, "started"), (4, "finished")]
        assert finished.body["plannedFor"] == "2026-01-11"


def test_an_order_is_documented_with_all_that_it_says_at_its_end(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {"minutes": 45})
        send(loop, START)
        finished = send(loop, FINISH, {"result": "done", "readings": {"oil": 4.2}})

    documented = model_of(ORDER_RESPONSE).model_json_schema()
    assert {*documented["properties"]} == {*finished.body}
    assert {*documented["required"]} == {*finished.body} - {
        *("factoryId", "changedBy"),  # another company's
        *("minutes", "startedAt", "finishedAt", "result", "readingsNumber"),
    }


def test_a_moved_order_says_where_it_was_before(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {})
        send(loop, PLAN, {"plannedFor": "2026-01-11"}, if_match=1)
        [_, moved] = [event["detail"]["order"] for event in loop.run() if event["source"] == "maintenance"]

    assert moved["before"] == {"factoryId": "gdl-1", "plannedFor": ORDER["date"]}


def test_two_who_plan_the_same_plan_one(loop: Loop) -> None:
    """The second one is in the middle of the first one's writes, before each of them."""
    for number in range(1, 6):
        plan = partial(send, loop, PLAN, {"minutes": 5}, kind=f"kind-{number}")
        with frozen_clock(NOW), intruding(number, plan):
            first, second = plan(), plan()

        assert (first.body["version"], second.body["version"]) == (1, 1)
        assert facts(loop) == [("planned", 1)]


def test_who_plans_something_else_is_told_that_it_is_there(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {"minutes": 5})

        assert send(loop, PLAN, {"minutes": 6}).status == 428
        assert send(loop, PLAN, {"minutes": 6}, if_match=7).status == 412
        assert send(loop, PLAN, {"minutes": 6}, if_match=1).status == 200


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_after_each_call_and_sent_again_no_version_is_lost_or_doubled(
    loop: Loop, interruption: Interruption
) -> None:
    steps: list[tuple[str, dict[str, Any] | None, int | None]] = [
        (PLAN, {}, None),
        (PLAN, {"plannedFor": "2026-01-11"}, 1),
        (START, None, None),
        (FINISH, {"result": "done"}, None),
    ]

    def run(breaking: Breaking) -> Any:  # noqa: ANN401
        loop.clear()
        register(loop)
        with frozen_clock(NOW):
            for route, body, if_match in steps:
                breaking.interrupt(lambda: send(loop, route, body, if_match=if_match))  # noqa: B023  called at once
                assert send(loop, route, body, if_match=if_match).status in {200, 201}
            return facts(loop), statuses(loop)

    broken = 0
    for _, (published, kept) in broken_at_every_call(interruption, run, services=("dynamodb",)):
        broken += 1
        assert published == [("planned", 1), ("moved", 2), ("started", 3), ("finished", 4)]
        assert kept == [(1, "planned"), (2, "planned"), (3, "started"), (4, "finished")]
    assert broken >= 3 * len(steps)


def test_what_a_writer_left_behind_who_died_is_no_version(loop: Loop) -> None:
    """Broken off before each of its writes, and seen by nobody before it is sent again."""

    def run(breaking: Breaking) -> list[tuple[int, str]]:
        loop.clear()
        register(loop)
        with frozen_clock(NOW):
            send(loop, PLAN, {})
            breaking.interrupt(lambda: send(loop, START))
            assert facts(loop) == [("planned", 1)] or breaking.broken is None
            return statuses(loop)

    seen = [kept for _, kept in broken_at_every_call(INTERRUPTIONS[0], run, services=("dynamodb",))]
    assert seen == [[(1, "planned")]] * len(seen)
    assert len(seen) >= 4, "the read, the fence, the history, the current row"


def test_to_start_or_finish_twice_is_to_do_it_once(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {})
        for route, body in ((START, None), (FINISH, {"result": "partly"})):
            once = send(loop, route, body)
            with frozen_clock(NOW + 1000):
                again = send(loop, route, body)
            assert (once.status, again.status) == (200, 200)
            assert once.body == again.body

        assert facts(loop) == [("planned", 1), ("started", 2), ("finished", 3)]


def test_what_does_not_follow_is_refused_and_changes_nothing(loop: Loop) -> None:
    with frozen_clock(NOW):
        assert send(loop, START).status == 404
        send(loop, PLAN, {})
        assert send(loop, FINISH, {"result": "done"}).status == 409
        send(loop, START)
        assert send(loop, PLAN, {"minutes": 7}, if_match=2).status == 409
        send(loop, FINISH, {"result": "done"})
        assert send(loop, FINISH, {"result": "skipped"}).status == 409
        assert send(loop, START).status == 409

        assert statuses(loop) == [(1, "planned"), (2, "started"), (3, "finished")]


def test_what_is_skipped_is_finished_without_a_start(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {})
        assert send(loop, FINISH, {"result": "skipped"}).body["status"] == "finished"


def test_only_what_can_be_done_is_planned(loop: Loop) -> None:
    with frozen_clock(NOW):
        assert send(loop, PLAN, {}, id="nobody-knows").status == 404
        for day in ("2025-12-31", "0189-07-25"):
            for body in ({}, {"plannedFor": ORDER["date"]}):
                assert send(loop, PLAN, body, date=day).status == 404
        assert send(loop, PLAN, {}, date="2026-02-30").status == 400
        assert send(loop, PLAN, {}, kind="Lubrication!").status == 400
        for day in ("2027-01-03", "2025-10-02", "0189-07-25"):
            assert send(loop, PLAN, {"plannedFor": day}).status == 400
        assert send(loop, PLAN, {"minutes": 0}).status == 400
        assert facts(loop) == []


def test_it_lives_until_ninety_days_after_the_day_it_is_planned_for_by_now(loop: Loop) -> None:
    day = NOW - 9 * 3_600_000 + 8 * DAY_MS
    with frozen_clock(NOW):
        send(loop, PLAN, {})
    with frozen_clock(day + 89 * DAY_MS):
        assert send(loop, GET).status == 200
        send(loop, PLAN, {"plannedFor": "2026-04-20"}, if_match=1)
    with frozen_clock(day + 91 * DAY_MS):
        assert send(loop, GET).body["plannedFor"] == "2026-04-20"
        send(loop, PLAN, {"plannedFor": "2026-01-10"}, if_match=2)
        gone = send(loop, GET), send(loop, START), send(loop, PLAN, {"minutes": 9})
        listed = loop.request("GET /equipment/{id}/maintenance", path={"id": ORDER["id"]}).body["items"]

    assert [one.status for one in gone] == [404, 404, 404]
    assert listed == []

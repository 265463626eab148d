"""Readings of an order: each under a number of its own, whatever ends in between, and no longer than the order."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from andon.runtime.clock import DAY_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.maintenance.bodies import LARGEST_READING, MOST_READINGS
from tests.services.maintenance.requests import FINISH, GET, NOW, PLAN, START, facts, register, send, statuses
from tests.services.maintenance.samples import ORDER, PATH

TAKE: Final = f"POST {PATH}/readings"
LOG: Final = f"GET {PATH}/readings"

Readings = dict[str, float]


def begin(loop: Loop) -> None:
    """Plan the order, and start it."""
    send(loop, PLAN, {})
    send(loop, START)


def take(loop: Loop, **readings: float) -> Answer:
    return send(loop, TAKE, {"readings": readings})


def log(loop: Loop) -> dict[int, Readings]:
    """The readings by number, the latest first; of a number that is listed twice this fails."""
    items = send(loop, LOG).body["items"]
    assert len(items) == len({one["number"] for one in items})
    return {one["number"]: one["readings"] for one in items}


def test_readings_are_numbered_and_listed_with_the_latest_first(loop: Loop) -> None:
    with frozen_clock(NOW):
        begin(loop)
        taken = [take(loop, pressure=value) for value in (4.2, 4.2, -7)]
        page = loop.request(LOG, path=ORDER, query={"limit": "2"}).body
        rest = loop.request(LOG, path=ORDER, query={"limit": "2", "cursor": page["cursor"]}).body

    assert [one.status for one in taken] == [201] * 3
    assert taken[0].body == {
        "equipmentId": "press-7",
        "date": "2026-01-09",
        "kind": "lubrication",
        "number": 1,
        "readings": {"pressure": 4.2},
        "takenAt": "2026-01-01T09:00:00.000Z",
        "takenBy": "somebody",
    }
    assert [*page["items"], *rest["items"]] == [one.body for one in reversed(taken)]


def test_the_log_of_an_order_has_no_readings_of_another(loop: Loop) -> None:
    with frozen_clock(NOW):
        for kind in ("oil", "oil-filter"):
            for route, body in ((PLAN, {}), (START, None), (TAKE, {"readings": {kind: 1}})):
                send(loop, route, body, kind=kind)
        [of_oil] = send(loop, LOG, kind="oil").body["items"]
        listed = loop.request("GET /equipment/{id}/maintenance", path={"id": ORDER["id"]}).body["items"]

    assert (of_oil["number"], of_oil["readings"]) == (1, {"oil": 1})
    assert [one["kind"] for one in listed] == ["oil-filter", "oil"], "the latest readings lie beside the orders"


def test_readings_are_of_an_order_that_was_started(loop: Loop) -> None:
    with frozen_clock(NOW):
        assert take(loop, a=1).status == 404
        send(loop, PLAN, {})
        assert take(loop, a=1).status == 409
        assert send(loop, FINISH, {"result": "skipped", "readings": {"a": 1}}).status == 409
        send(loop, START)
        assert take(loop, a=1).status == 201
        send(loop, FINISH, {"result": "done"})
        assert take(loop, a=2).status == 201, "measured behind its end"

        assert log(loop) == {2: {"a": 2}, 1: {"a": 1}}


def test_of_what_was_skipped_nothing_is_measured(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PLAN, {})
        send(loop, FINISH, {"result": "skipped"})
        assert take(loop, a=1).status == 409


@pytest.mark.parametrize(
    "readings",
    [
        {},
        {f"name-{number}": 1 for number in range(MOST_READINGS + 1)},
        {"Pressure": 1},
        {"": 1},
        {"pressure": 2 * LARGEST_READING},
        {"pressure": -2 * LARGEST_READING},
        {"pressure": "4.2"},
        {"pressure": True},
        {"pressure": None},
        {"pressure": float("nan")},
        {"pressure": float("inf")},
    ],
    ids=str,
)
def test_what_is_no_reading_is_refused_and_not_counted(loop: Loop, readings: dict[str, Any]) -> None:
    with frozen_clock(NOW):
        begin(loop)
        assert send(loop, TAKE, {"readings": readings}).status == 400
        assert send(loop, FINISH, {"result": "done", "readings": readings}).status == 400
        assert take(loop, a=1).body["number"] == 1


def test_an_order_names_what_was_measured_at_its_end_and_to_finish_twice_is_to_measure_once(loop: Loop) -> None:
    finish = {"result": "done", "readings": {"pressure": 4.2}}
    with frozen_clock(NOW):
        begin(loop)
        take(loop, pressure=3)
        first, again = (send(loop, FINISH, finish) for _ in range(2))
        others = [send(loop, FINISH, body).status for body in ({"result": "done"}, finish | {"readings": {"a": 1}})]

        assert (first.status, again.body, others) == (200, first.body, [409, 409])
        assert log(loop) == {2: {"pressure": 4.2}, 1: {"pressure": 3}}
        assert (first.body["readingsNumber"], send(loop, GET).body) == (2, first.body)
        assert facts(loop) == [("planned", 1), ("started", 2), ("finished", 3)], "readings are no facts"


def test_what_is_finished_without_readings_is_not_finished_with_some(loop: Loop) -> None:
    with frozen_clock(NOW):
        begin(loop)
        send(loop, FINISH, {"result": "done"})

        assert send(loop, FINISH, {"result": "done", "readings": {"a": 1}}).status == 409
        assert log(loop) == {}


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_after_each_call_and_sent_again_no_number_is_given_out_twice(
    loop: Loop, interruption: Interruption
) -> None:
    """What a client was told is in the log; a gap, or the same once more, is all that a crash leaves."""
    steps: list[tuple[str, dict[str, Any]]] = [
        *((TAKE, {"readings": {"number": number}}) for number in range(2)),
        (FINISH, {"result": "done", "readings": {"number": 2}}),
    ]

    def run(breaking: Breaking) -> tuple[list[Answer], dict[int, Readings]]:
        loop.clear()
        register(loop)
        with frozen_clock(NOW):
            begin(loop)
            told = []
            for route, body in steps:
                interrupted = breaking.interrupt(lambda: send(loop, route, body))  # noqa: B023  called at once
                told += [answer for answer in (interrupted,) if answer and answer.status < 400]
                told += [send(loop, route, body)] if told[-1:] != [interrupted] else []
            assert facts(loop) == [("planned", 1), ("started", 2), ("finished", 3)]
            assert statuses(loop) == [(1, "planned"), (2, "started"), (3, "finished")]
            return told, log(loop)

    left = []
    for _, (told, logged) in broken_at_every_call(interruption, run, services=("dynamodb",)):
        numbers = [one.body.get("number") or one.body["readingsNumber"] for one in told]
        assert [logged[number] for number in numbers] == [{"number": number} for number in range(len(steps))]
        assert numbers == sorted(set(numbers))
        left.append((len(logged) - len(steps), max(logged) - len(logged)))
    assert set(left) == {(0, 0), (1, 0), (0, 1)}, "nothing, a double, a gap"


def test_two_who_measure_at_once_take_a_number_each(loop: Loop) -> None:
    """The second one is in the middle of the first one's calls, before each of them."""
    with frozen_clock(NOW):
        begin(loop)
        for number in range(1, 4):
            with intruding(number, lambda: take(loop, second=1)) as calls:
                take(loop, first=1)
            assert len(calls) == number, "the order, the count, the log"

        assert sorted(log(loop)) == [1, 2, 3, 4, 5, 6]
        assert sorted(str(one) for one in log(loop).values()) == ["{'first': 1}"] * 3 + ["{'second': 1}"] * 3


def test_two_who_finish_at_once_finish_once(loop: Loop) -> None:
    """The order names readings that are in the log; who comes second may leave a double."""

    def finish(kind: str) -> Callable[[], Answer]:
        return lambda: send(loop, FINISH, {"result": "done", "readings": {"a": 1}}, kind=kind)

    for number in range(1, 7):
        kind = f"kind-{number}"
        with frozen_clock(NOW):
            send(loop, PLAN, {}, kind=kind)
            send(loop, START, kind=kind)
            with intruding(number, finish(kind)) as calls:
                answer = finish(kind)()
            order, logged = send(loop, GET, kind=kind).body, send(loop, LOG, kind=kind).body["items"]

        assert (len(calls), answer.body, order["version"]) == (number, order, 3)
        assert {one["number"]: one["readings"] for one in logged}[order["readingsNumber"]] == {"a": 1}
        assert len(logged) == (1 if number == 1 else 2)


def test_readings_expire_with_their_order(loop: Loop) -> None:
    day = NOW - 9 * 3_600_000 + 8 * DAY_MS
    with frozen_clock(NOW):
        send(loop, PLAN, {})
        send(loop, PLAN, {"plannedFor": "2026-02-09"}, if_match=1)
        send(loop, PLAN, {"plannedFor": ORDER["date"]}, if_match=2)
        send(loop, START)
        take(loop, a=1)
    with frozen_clock(day + 89 * DAY_MS):
        send(loop, FINISH, {"result": "done", "readings": {"a": 2}})
        shown = log(loop)
    with frozen_clock(day + 90 * DAY_MS):
        gone = send(loop, GET).status, take(loop, a=3).status, log(loop)
    rows = [row for row in loop.rows("MAINTENANCE_TABLE") if row.get("discriminator") in {"order", "readings"}]

    assert (shown, gone) == ({2: {"a": 2}, 1: {"a": 1}}, (404, 404, {}))
    assert len(rows) == 4
    assert len({(row["ttl#date"], row["ttl"]) for row in rows}) == 1, "the table keeps them for as long, too"

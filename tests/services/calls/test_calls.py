"""What calls promises its callers; what it promises as a package, the laws try."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final
from uuid import UUID

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.events.domain_event import DomainEvent
from andon.runtime.clock import DAY_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.wire import aws
from services.calls.tables import KEYS, TABLE, partition_of
from tests.services.calls.samples import ANOTHER, CALL, CATALOG, EQUIPMENT, FACTORY, MATERIAL, SAFETY
from tests.support.samples import body_of, sample

NOW: Final = 1_767_258_000_000  # 2026-01-01T09:00Z
PUT: Final = "PUT /calls/{id}"
TAKE: Final = "PUT /calls/{id}/taker"
CLOSE: Final = "PUT /calls/{id}/closure"
REJECT: Final = "PUT /calls/{id}/rejection"
GET: Final = "GET /calls/{id}"
AT_EQUIPMENT: Final = "GET /equipment/{id}/calls"
BY_PLACE: Final = "GET /factories/{factoryId}/calls"
SET: Final = "PUT /factories/{factoryId}/catalog"
CAUSE: Final = "PUT /equipment/{id}/episodes/{startedAt}/cause"
COILS: Final = {"cause": "out-of-coils"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        begin(loop)
        yield loop


def register(loop: Loop, equipment_id: str, **fields: str) -> None:
    """Let calls hear of a machine."""
    wire = sample("domain", "equipment-created")
    equipment = wire["equipment"] | {"id": equipment_id, **fields}
    loop.listen([body_of(DomainEvent.from_wire(wire | {"id": equipment_id, "equipment": equipment}))])


def remove(loop: Loop, equipment_id: str) -> None:
    """Let calls hear that a machine was deleted."""
    wire = sample("domain", "equipment-deleted")
    equipment = wire["equipment"] | {"id": equipment_id}
    loop.listen([body_of(DomainEvent.from_wire(wire | {"id": f"{equipment_id} is gone", "equipment": equipment}))])


def begin(loop: Loop) -> None:
    """Let calls hear of the machine, and the factory have its catalog."""
    with frozen_clock(NOW):
        register(loop, EQUIPMENT["id"])
        loop.request(SET, path=FACTORY, body=CATALOG)
        loop.run()


def send(loop: Loop, route: str, body: Any = None, *, if_match: int | None = None, **more: Any) -> Answer:  # noqa: ANN401
    """Send a request about the call, or about another one."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    return loop.request(route, **{"path": CALL, "body": body, "headers": headers, **more})


def facts(loop: Loop) -> list[tuple[str, int]]:
    """The types and versions of what was published of calls since; facts of one type come together."""
    published = [event for event in loop.run() if event["source"] == "calls"]
    return [
        (event["detail-type"].removeprefix("call-"), event["detail"]["call"]["version"])
        for event in published
        if "call" in event["detail"]
    ]


def open_calls(loop: Loop, **query: str) -> list[str]:
    """The ids of the factory's open calls."""
    return [one["id"] for one in loop.request(BY_PLACE, path=FACTORY, query=query).body["items"]]


def test_a_call_is_raised_taken_and_closed_with_its_cause(loop: Loop) -> None:
    with frozen_clock(NOW):
        raised = send(loop, PUT, MATERIAL)
        assert open_calls(loop) == [CALL["id"]]
    with frozen_clock(NOW + 61_500):
        taken = send(loop, TAKE, if_match=1, subject="Ana")
    with frozen_clock(NOW + 600_000):
        closed = send(loop, CLOSE, COILS | {"note": "Two pallets came."}, if_match=2, subject="Luz")

        assert [one.status for one in (raised, taken, closed)] == [201, 200, 200]
        assert facts(loop) == [("raised", 1), ("taken", 2), ("closed", 3)]
        assert send(loop, GET).body == closed.body
        assert loop.request(AT_EQUIPMENT, path=EQUIPMENT).body["items"] == [closed.body]
        assert open_calls(loop) == []
    said = {name: closed.body[name] for name in ("status", "taker", "endedBy", "cause", "note", "priority")}
    assert said == {
        "status": "closed",
        "taker": "Ana",
        "endedBy": "Luz",
        "cause": "out-of-coils",
        "note": "Two pallets came.",
        "priority": 2,
    }
    assert (closed.body["secondsToTake"], closed.body["secondsToClose"]) == (61, 600)


def test_a_resend_is_the_same_call_whatever_became_of_it(loop: Loop) -> None:
    with frozen_clock(NOW):
        first, tapped = send(loop, PUT, MATERIAL), send(loop, PUT, MATERIAL)
        send(loop, TAKE, if_match=1)
        taken = send(loop, PUT, MATERIAL)
        send(loop, REJECT, {"reason": "It was a drill."}, if_match=2)
        send(loop, PUT, MATERIAL, path=ANOTHER)
        rejected = send(loop, PUT, MATERIAL)

    assert (first.status, tapped.status, taken.status, rejected.status) == (201, 201, 200, 200)
    assert first.body == tapped.body
    assert [one.body["status"] for one in (taken, rejected)] == ["taken", "rejected"]
    assert facts(loop) == [("raised", 1), ("raised", 1), ("taken", 2), ("rejected", 3)]


def test_a_resend_is_the_same_call_when_its_category_its_machine_or_its_caller_are_gone(loop: Loop) -> None:
    here = ("operator", "at:gdl-1:line-3")
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL, groups=here)
        send(loop, SET, {"categories": CATALOG["categories"][1:], "causes": []}, path=FACTORY, if_match=1)
        answers = [send(loop, PUT, MATERIAL, groups=here), send(loop, PUT, MATERIAL, path=ANOTHER, groups=here)]
        remove(loop, EQUIPMENT["id"])
        answers += [send(loop, PUT, MATERIAL, groups=here), send(loop, PUT, MATERIAL, path=ANOTHER)]
        answers += [send(loop, PUT, MATERIAL, groups=("operator", "at:gdl-2"))]

    assert [one.status for one in answers] == [200, 400, 200, 404, 403]
    assert facts(loop) == [("raised", 1)]


@pytest.mark.parametrize(
    "other", [{"text": "Another."}, {"priority": 1}, {"equipmentId": "press-8"}, {"category": "safety"}, {}]
)
def test_an_id_is_of_one_call(loop: Loop, other: dict[str, Any]) -> None:
    """The last one says the same, and is somebody else."""
    with frozen_clock(NOW):
        register(loop, "press-8")
        send(loop, PUT, MATERIAL, subject="Ana")
        again = send(loop, PUT, MATERIAL | other, subject="Ana" if other else "Luz")

    assert again.status == 409
    assert "call" not in again.body
    assert facts(loop) == [("raised", 1)]


def test_a_second_raise_gets_the_open_call(loop: Loop) -> None:
    with frozen_clock(NOW):
        first = send(loop, PUT, MATERIAL)
        second = send(loop, PUT, MATERIAL, path=ANOTHER)
        other = send(loop, PUT, SAFETY, path=ANOTHER)

    assert (second.status, second.body["title"]) == (409, "Conflict")
    assert second.body["call"] == first.body
    assert other.status == 201
    assert facts(loop) == [("raised", 1), ("raised", 1)]


@pytest.mark.parametrize("end", [(CLOSE, COILS), (REJECT, {"reason": "It was a drill."})])
def test_what_has_ended_lets_the_next_one_be_raised_and_stays_as_it_is(
    loop: Loop, end: tuple[str, dict[str, str]]
) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
        ended = send(loop, *end, if_match=1)

        assert ended.status == 200
        assert "secondsToTake" not in ended.body
        assert ("secondsToClose" in ended.body) == (end[0] == CLOSE)
        assert send(loop, TAKE, if_match=2).status == 409
        assert send(loop, CLOSE, COILS | {"note": "More."}, if_match=2).status == 409
        assert send(loop, PUT, MATERIAL, path=ANOTHER).status == 201
        assert send(loop, GET).body == ended.body
        assert open_calls(loop) == [ANOTHER["id"]]


def test_a_call_that_ended_is_there_for_33_days_and_an_open_one_for_as_long_as_it_is(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
    with frozen_clock(NOW + 40 * DAY_MS):
        assert open_calls(loop) == [CALL["id"]]
        send(loop, CLOSE, COILS, if_match=1)
    with frozen_clock(NOW + 72 * DAY_MS):
        assert send(loop, GET).status == 200
    with frozen_clock(NOW + 73 * DAY_MS):
        gone = send(loop, GET), send(loop, TAKE, if_match=2)
        listed = loop.request(AT_EQUIPMENT, path=EQUIPMENT).body["items"]

    assert [one.status for one in gone] == [404, 404]
    assert listed == []


def test_whoever_takes_over_leaves_the_time_of_the_first(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
        first = send(loop, TAKE, if_match=1, subject="Ana")
        again = send(loop, TAKE, if_match=2, subject="Ana")
    with frozen_clock(NOW + 60_000):
        over = send(loop, TAKE, if_match=2, subject="Luz")

    assert again.body == first.body
    assert (over.body["taker"], over.body["takenAt"], over.body["version"]) == ("Luz", first.body["takenAt"], 3)


def test_no_time_of_a_call_goes_back_with_a_clock(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
    with frozen_clock(NOW - 5_000):
        send(loop, TAKE, if_match=1)
        closed = send(loop, CLOSE, COILS, if_match=2).body

    assert closed["raisedAt"] < closed["takenAt"] < closed["endedAt"] == closed["changedAt"]
    assert (closed["secondsToTake"], closed["secondsToClose"]) == (0, 0)


def test_the_next_call_of_a_category_is_later_whichever_clock_its_writer_has(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
        ended = send(loop, CLOSE, COILS, if_match=1).body
    with frozen_clock(NOW - 5_000):
        first, again = (send(loop, PUT, MATERIAL, path=ANOTHER) for _ in range(2))

    assert (first.status, again.status) == (201, 201)
    assert ended["endedAt"] < first.body["raisedAt"] == first.body["changedAt"] == again.body["raisedAt"]


def test_a_call_is_closed_also_where_it_was_brought_back_without_its_mark(loop: Loop) -> None:
    """As behind the loss of a region: the row that says which one is open is no fact."""
    key = KEYS.of(partition_of(EQUIPMENT["id"]), "open#material")
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
        aws.client("dynamodb").delete_item(TableName=TABLE.name, Key=to_typed(key))
        send(loop, PUT, MATERIAL, path=ANOTHER)
        beside = send(loop, CLOSE, COILS, if_match=1)
        other = send(loop, CLOSE, COILS, if_match=1, path=ANOTHER)
        behind = send(loop, CLOSE, COILS, if_match=1)

    assert (beside.status, other.status, behind.status) == (409, 200, 200)


@pytest.mark.parametrize("route", [TAKE, CLOSE, REJECT])
def test_a_change_names_the_version_that_it_is_made_for(loop: Loop, route: str) -> None:
    body = {TAKE: None, CLOSE: COILS, REJECT: {"reason": "It was a drill."}}[route]
    with frozen_clock(NOW):
        assert send(loop, route, body, if_match=1).status == 404
        send(loop, PUT, MATERIAL)
        assert send(loop, route, body).status == 428
        assert send(loop, route, body, if_match=2).status == 412
        assert send(loop, route, body, if_match=1).status == 200


def test_of_two_takers_one_takes_it(loop: Loop) -> None:
    """The second one is in the middle of the first one's calls, before each of them."""
    for number in range(1, 4):
        path = {"id": str(UUID(int=number))}
        with frozen_clock(NOW):
            send(loop, PUT, MATERIAL, path=path)
            answers: list[Answer] = []

            def take(who: str, path: dict[str, str] = path, answers: list[Answer] = answers) -> None:
                answers.append(send(loop, TAKE, if_match=1, subject=who, path=path))

            with intruding(number, partial(take, "Luz")):
                take("Ana")
            if len(answers) == 1:
                take("Luz")
            taker = send(loop, GET, path=path).body["taker"]
            send(loop, REJECT, {"reason": "Next."}, if_match=2, path=path)

        assert sorted(one.status for one in answers) == [200, 412]
        assert [one.body["taker"] for one in answers if one.status == 200] == [taker]


def test_of_two_who_raise_one_does_and_the_other_gets_that_call(loop: Loop) -> None:
    for number in range(1, 6):
        with frozen_clock(NOW):
            equipment = f"press-{number}"
            register(loop, equipment)
            body = MATERIAL | {"equipmentId": equipment}
            paths = [{"id": str(UUID(int=2 * number + one))} for one in range(2)]
            others: list[Answer] = []

            def intrude(path: dict[str, str] = paths[1], body: Any = body, others: list[Answer] = others) -> None:  # noqa: ANN401
                others.append(send(loop, PUT, body, path=path))

            with intruding(number, intrude):
                mine = send(loop, PUT, body, path=paths[0])
            answers = [mine, *others] if others else [mine, send(loop, PUT, body, path=paths[1])]

        [raised, refused] = sorted(answers, key=lambda one: one.status)
        assert (raised.status, refused.status) == (201, 409)
        assert refused.body["call"] == raised.body
        assert facts(loop) == [("raised", 1)]


def test_who_is_refused_by_a_call_that_is_closed_by_then_raises(loop: Loop) -> None:
    """It is closed behind the refusal, before the reads that would show it, and behind the first of them."""
    for number in range(3, 7):
        with frozen_clock(NOW):
            equipment = f"press-{number}"
            register(loop, equipment)
            body, first = MATERIAL | {"equipmentId": equipment}, {"id": str(UUID(int=2 * number))}
            send(loop, PUT, body, path=first)
            with intruding(number, partial(send, loop, CLOSE, COILS, if_match=1, path=first)):
                second = send(loop, PUT, body, path={"id": str(UUID(int=2 * number + 1))})

        if second.status == 409:
            assert second.body["call"]["status"] == "raised"
        else:
            assert second.status == 201
        assert facts(loop) == [("raised", 1), *([("raised", 1)] if second.status == 201 else []), ("closed", 2)]


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_after_each_call_and_sent_again_nothing_is_lost_or_doubled(
    loop: Loop, interruption: Interruption
) -> None:
    steps: list[tuple[str, Any, int | None]] = [
        (PUT, MATERIAL, None),
        (TAKE, None, 1),
        (CLOSE, COILS, 2),
    ]

    def run(breaking: Breaking) -> tuple[list[tuple[str, int]], int]:
        loop.clear()
        begin(loop)
        with frozen_clock(NOW):
            for route, body, if_match in steps:
                breaking.interrupt(lambda: send(loop, route, body, if_match=if_match))  # noqa: B023  called at once
                assert send(loop, route, body, if_match=if_match).status in {200, 201}
            return facts(loop), send(loop, PUT, MATERIAL, path=ANOTHER).status

    broken = 0
    for _, (published, next_one) in broken_at_every_call(interruption, run, services=("dynamodb",)):
        broken += 1
        assert published == [("raised", 1), ("taken", 2), ("closed", 3)]
        assert next_one == 201
    assert broken >= 2 * len(steps)


def test_a_call_is_closed_with_a_cause_of_its_category_and_line(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, PUT, MATERIAL)
        send(loop, PUT, SAFETY, path=ANOTHER)
        lacking = [
            send(loop, CLOSE, {}, if_match=1),
            send(loop, CLOSE, {"cause": "nobody-knows"}, if_match=1),
            send(loop, CLOSE, {"cause": "bent-guide"}, if_match=1),
            send(loop, CLOSE, COILS, if_match=1, path=ANOTHER),
        ]

        assert [one.status for one in lacking] == [400, 400, 400, 400]
        assert {one.body["errors"][0]["field"] for one in lacking} == {"body.cause"}
        assert send(loop, CLOSE, {}, if_match=1, path=ANOTHER).status == 200


def test_a_factory_without_a_catalog_calls_for_few_things_and_closes_without_a_cause(loop: Loop) -> None:
    with frozen_clock(NOW):
        register(loop, "press-8", factoryId="mty-1")
        body = {"equipmentId": "press-8", "category": "machine"}

        for number in range(30):  # so many would push an urgent call off the board
            assert send(loop, PUT, body | {"category": f"c-{number}"}, path={"id": str(UUID(int=number))}).status == 400
        assert loop.request("GET /factories/{factoryId}/catalog", path={"factoryId": "mty-1"}).status == 404
        assert send(loop, PUT, body).body["priority"] == 2
        assert send(loop, CLOSE, COILS, if_match=1).status == 400
        assert send(loop, CLOSE, {}, if_match=1).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (MATERIAL | {"equipmentId": "nobody-knows"}, 404),
        (MATERIAL | {"category": "water"}, 400),
        (MATERIAL | {"category": "Material!"}, 400),
        (MATERIAL | {"priority": 0}, 400),
        (MATERIAL | {"priority": 4}, 400),
        (MATERIAL | {"status": "closed"}, 400),
    ],
)
def test_only_what_the_catalog_has_is_called_for(loop: Loop, body: dict[str, Any], status: int) -> None:
    with frozen_clock(NOW):
        assert send(loop, PUT, body).status == status
        assert facts(loop) == []


@pytest.mark.parametrize("call_id", ["call-1", CALL["id"].upper(), CALL["id"][:-1]])
def test_the_id_of_a_call_is_a_uuid(loop: Loop, call_id: str) -> None:
    with frozen_clock(NOW):
        assert send(loop, PUT, MATERIAL, path={"id": call_id}).status == 400


def test_open_calls_are_listed_by_line_then_priority_then_time(loop: Loop) -> None:
    lines = {"press-a": "line-3", "press-b": "line-3#4", "press-c": "line-30"}
    with frozen_clock(NOW):
        for name, line in lines.items():
            register(loop, name, lineId=line)
    raised: list[tuple[str, int]] = [("press-c", 1), ("press-a", 2), ("press-b", 1), ("press-a", 1), ("press-7", 2)]
    for second, (name, priority) in enumerate(raised):
        category = ("safety", "material")[priority - 1]
        with frozen_clock(NOW + second * 1000):
            send(loop, PUT, {"equipmentId": name, "category": category}, path={"id": str(UUID(int=second))})

    def seen(**query: str) -> list[tuple[str, int]]:
        items = loop.request(BY_PLACE, path=FACTORY, query=query).body["items"]
        return [(one["equipmentId"], one["priority"]) for one in items]

    with frozen_clock(NOW):
        on_line_3 = [("press-a", 1), ("press-a", 2), ("press-7", 2)]
        assert seen() == [*on_line_3, ("press-b", 1), ("press-c", 1)]
        assert seen(line="line-3", open="true") == on_line_3
        assert seen(line="line-3#4") == [("press-b", 1)]
        assert loop.request(BY_PLACE, path=FACTORY, query={"open": "false"}).status == 400


def test_an_episode_gets_a_cause_also_when_it_is_over_and_another_one_by_its_version(loop: Loop) -> None:
    episode: dict[str, Any] = {"path": EQUIPMENT | {"startedAt": "2025-12-31T23:10:00Z"}}
    with frozen_clock(NOW):
        recorded = send(loop, CAUSE, COILS, **episode)
        assert send(loop, CAUSE, COILS | {"note": "The last one."}, **episode).status == 428
        noted = send(loop, CAUSE, COILS | {"note": "The last one."}, if_match=1, **episode)
        assert send(loop, CAUSE.replace("PUT", "GET"), **episode).body == noted.body
        published = [event["detail"]["cause"] for event in loop.run() if event["detail-type"] == "cause-recorded"]

    assert (recorded.status, noted.status) == (201, 200)
    assert recorded.body["startedAt"] == "2025-12-31T23:10:00.000Z"
    assert [one["version"] for one in published] == [1, 2]
    assert published[1] == {name: noted.body[name] for name in published[1]}


@pytest.mark.parametrize(
    ("body", "path", "status"),
    [
        ({"cause": "nobody-knows"}, {}, 400),
        ({"cause": "bent-guide"}, {}, 400),  # of another line
        (COILS, {"startedAt": "2026-01-01T09:06:00Z"}, 400),
        (COILS, {"startedAt": "2025-11-20T09:06:00Z"}, 400),
        (COILS, {"id": "nobody-knows"}, 404),
    ],
)
def test_only_a_cause_of_the_catalog_is_recorded_of_what_was(
    loop: Loop, body: dict[str, Any], path: dict[str, str], status: int
) -> None:
    with frozen_clock(NOW):
        episode = EQUIPMENT | {"startedAt": "2026-01-01T08:35:00Z"} | path
        assert send(loop, CAUSE, body, path=episode).status == status


def test_a_catalog_is_changed_by_its_version(loop: Loop) -> None:
    with frozen_clock(NOW):
        changed = CATALOG | {"causes": []}

        assert send(loop, SET, changed, path=FACTORY).status == 428
        assert send(loop, SET, changed, path=FACTORY, if_match=2).status == 412
        assert send(loop, SET, changed, path=FACTORY, if_match=1).status == 200
        assert send(loop, SET.replace("PUT", "GET"), path=FACTORY).body["causes"] == []
        [event] = [event for event in loop.run() if event["detail-type"] == "catalog-set"]
    assert event["detail"]["catalog"] == {"factoryId": "gdl-1", "version": 2, **changed}


CATEGORY, CATALOG_CAUSE = CATALOG["categories"][0], CATALOG["causes"][0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"categories": []},
        {"categories": [CATEGORY, CATEGORY]},
        {"categories": [CATEGORY | {"id": f"c-{number}"} for number in range(13)], "causes": []},
        {"causes": [CATALOG_CAUSE, CATALOG_CAUSE]},
        {"causes": [CATALOG_CAUSE | {"categories": ["water"]}]},
        {"causes": [CATALOG_CAUSE | {"categories": []}]},
        {"causes": [CATALOG_CAUSE | {"id": f"c-{number}"} for number in range(201)]},
    ],
)
def test_a_catalog_says_each_thing_once(loop: Loop, wrong: dict[str, Any]) -> None:
    with frozen_clock(NOW):
        assert send(loop, SET, CATALOG | wrong, path=FACTORY, if_match=1).status == 400

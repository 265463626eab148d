"""The agenda in objects: it says what the agenda in a table says, in every order; its answers, and its tags."""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pytest

from andon.packages.package import Package
from andon.runtime.clock import DAY_MS
from andon.testing.drift import clear_rows
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from tests.services.maintenance.samples import ORDER, PATH
from tests.support.samples import body_of, fact

NOW: Final = 1_767_258_000_000  # 2026-01-01T09:00Z
TABLE, OBJECTS = (Package("views", name) for name in ("agenda", "agenda_days"))
DAY: Final = "GET /factories/{factoryId}/agenda/{date}"
LIST: Final = "GET /factories/{factoryId}/agenda"
FACTORIES: Final = ("gdl-1", "gdl-2")
DAYS: Final = [f"2026-01-{day:02d}" for day in range(8, 14)]


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW):
        stand_in(loop, "gdl-1")
        loop.run()
        yield loop


def stand_in(loop: Loop, factory_id: str, *, at_ms: int = NOW) -> None:
    """Let maintenance hear in which factory the machine is."""
    loop.listen([body_of(fact("equipment-created", factoryId=factory_id, at=at_ms, id=f"{factory_id} {at_ms}"))])


def plan(loop: Loop, body: dict[str, Any] | None = None, version: int | None = None, **more: str) -> Answer:
    headers = {} if version is None else {"if-match": f'"{version}"'}
    answer = loop.request(f"PUT {PATH}", path={**ORDER, **more}, body=body or {}, headers=headers)
    assert answer.status in {200, 201}
    return answer


def life_of_two_orders(loop: Loop) -> list[str]:
    """Plan two orders, move one across days and factories and back, start and finish it; return the facts' messages."""
    happens: list[Callable[[], object]] = [
        partial(plan, loop, {"minutes": 45}),
        partial(plan, loop, {"plannedFor": "2026-01-11"}, 1),
        partial(stand_in, loop, "gdl-2", at_ms=NOW + 1),
        partial(plan, loop, {"plannedFor": "2026-01-12"}, 2),
        partial(stand_in, loop, "gdl-1", at_ms=NOW + 2),
        partial(plan, loop, {"plannedFor": ORDER["date"]}, 3),
        partial(plan, loop, {"plannedFor": "2026-01-11"}, kind="another"),
        partial(loop.request, f"POST {PATH}/start", path=ORDER),
        partial(loop.request, f"POST {PATH}/finish", path=ORDER, body={"result": "done"}),
    ]
    published = []
    for happen in happens:
        happen()
        published += loop.run()
    return [json.dumps(event) for event in published if event["source"] == "maintenance"]


def listed_in_table(loop: Loop, factory_id: str) -> list[Any]:
    items: list[Any] = loop.request(LIST, path={"factoryId": factory_id}).body["items"]
    return items


def listed_in_objects(loop: Loop, factory_id: str) -> list[Any]:
    answers = (loop.request(DAY, path={"factoryId": factory_id, "date": day}) for day in DAYS)
    return [one for answer in answers for one in answer.body["items"]]


def both(loop: Loop) -> str:
    """Return what both agendas say, which must be the same."""
    in_table, in_objects = ({one: of(loop, one) for one in FACTORIES} for of in (listed_in_table, listed_in_objects))
    assert in_table == in_objects
    return json.dumps(in_table)


def test_every_order_of_the_facts_and_every_duplicate_ends_in_the_same_agenda_in_the_table_and_in_objects(
    loop: Loop,
) -> None:
    facts = life_of_two_orders(loop)
    assert len(facts) == 7
    expected = both(loop)
    assert [one["status"] for one in json.loads(expected)["gdl-1"]] == ["finished", "planned"]
    [table], [bucket] = TABLE.tables, OBJECTS.buckets

    def clear() -> None:
        for view in (TABLE, OBJECTS):
            clear_rows(loop, view)

    def deliver(body: str) -> None:
        assert loop.deliver(TABLE, [body]) == loop.deliver(OBJECTS, [body]) == []

    def keep() -> str:
        return json.dumps([loop.typed_rows(table), loop.objects(bucket)])

    def put_back(kept: str) -> None:
        clear()
        rows, objects = json.loads(kept)
        loop.restore(table, rows)
        loop.restore_objects(bucket, objects)

    steps = [OrderedStep(str(number), partial(deliver, body)) for number, body in enumerate(facts)]
    ends = ends_of_every_order([*steps, steps[3]], begin=clear, end=partial(both, loop), state=State(keep, put_back))

    assert list(ends) == [expected]
    assert loop.new_messages() == []


def test_the_orders_of_a_day_stand_as_in_the_table(loop: Loop) -> None:
    """By the day and kind of their ids; the ids of machines are the keys of their rows in the object."""
    orders = [("d#1", "oil", "2026-01-11"), ("press-7", "grease", "2026-01-11"), ("a", "oil", "2026-01-12")]
    bodies = [
        body_of(
            fact("maintenance-planned", equipmentId=machine, kind=kind, date=date, plannedFor="2026-01-12", id=kind)
        )
        for machine, kind, date in orders
    ]
    for package in (TABLE, OBJECTS):
        loop.deliver(package, bodies)

    machines = [one["equipmentId"] for one in json.loads(both(loop))["gdl-1"]]
    assert machines == ["press-7", "d#1", "a"]


def test_who_knows_a_day_gets_304_until_something_on_it_changes(loop: Loop) -> None:
    def ask(tag: str, day: str = "2026-01-11") -> Answer:
        return loop.request(DAY, path={"factoryId": "gdl-1", "date": day}, headers={"if-none-match": tag})

    empty = ask("")
    assert (empty.status, empty.body) == (200, {"items": []})
    plan(loop, kind="another")
    loop.run()
    assert ask(empty.headers["etag"]).status == 304
    plan(loop, {"plannedFor": "2026-01-11"})
    loop.run()
    changed = ask(empty.headers["etag"])

    assert [one["equipmentId"] for one in changed.body["items"]] == [ORDER["id"]]
    known = ask(changed.headers["etag"])
    assert (known.status, known.body, known.headers["etag"]) == (304, None, changed.headers["etag"])


def test_a_move_touches_the_objects_of_both_days_and_no_other(loop: Loop) -> None:
    plan(loop)
    plan(loop, {"plannedFor": "2026-01-12"}, kind="another")
    loop.run()
    before = {one["Key"]: one["Body"] for one in loop.objects(*OBJECTS.buckets)}
    plan(loop, {"plannedFor": "2026-01-11"}, 1)
    loop.run()

    after = {one["Key"]: one["Body"] for one in loop.objects(*OBJECTS.buckets)}
    assert [key for key in after if before.get(key) != after[key]] == [
        f"rows/gdl-1/{day}.json" for day in (ORDER["date"], "2026-01-11")
    ]


def test_a_read_with_the_token_of_a_move_is_not_older_than_that(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    plan(loop)
    loop.run()
    token = plan(loop, {"plannedFor": "2026-01-11"}, 1).headers["x-after"]

    def ask(day: str) -> int:
        return loop.request(DAY, path={"factoryId": "gdl-1", "date": day}, query={"after": token}).status

    assert ask("2026-01-11") == 202
    assert ask(ORDER["date"]) == 400, "it is where the write put it"
    loop.run()
    assert ask("2026-01-11") == 200


def test_an_order_is_listed_until_ninety_days_after_its_day_as_in_the_table(loop: Loop) -> None:
    plan(loop, {"plannedFor": "2026-01-11"})
    loop.run()
    day = NOW + 10 * DAY_MS - 9 * 60 * 60 * 1000
    for days, expected in ((89, 1), (90, 0)):
        with frozen_clock(day + days * DAY_MS):
            assert len(listed_in_table(loop, "gdl-1")) == len(listed_in_objects(loop, "gdl-1")) == expected


@pytest.mark.parametrize("limit", range(1, 8))
def test_a_day_has_pages_that_name_each_order_once_in_their_order(loop: Loop, limit: int) -> None:
    for kind in ("a", "b", "c", "d", "e"):
        plan(loop, {"plannedFor": "2026-01-11"}, kind=kind)
    loop.run()
    ask = partial(loop.request, DAY, path={"factoryId": "gdl-1", "date": "2026-01-11"})
    whole = ask().body

    pages = [ask(query={"limit": str(limit)}).body]
    while "cursor" in pages[-1]:
        pages.append(ask(query={"limit": str(limit), "cursor": pages[-1]["cursor"]}).body)

    assert [one for page in pages for one in page["items"]] == whole["items"]
    assert [len(page["items"]) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert (len(whole["items"]), "cursor" in whole, len(pages)) == (5, False, -(-5 // limit))
    assert ask(query={"cursor": "x"}).status == 400


@pytest.mark.parametrize("day", ["2026-02-29", "today", "2026-1-11"])
def test_what_is_no_day_is_refused(loop: Loop, day: str) -> None:
    assert loop.request(DAY, path={"factoryId": "gdl-1", "date": day}).status == 400


def test_of_a_fact_that_does_not_say_its_place_before_as_it_must_nothing_is_kept(loop: Loop) -> None:
    moved = fact("maintenance-moved", id="odd", at=NOW, before={"factoryId": 7, "plannedFor": "2026-01-09"})

    loop.deliver(OBJECTS, [body_of(moved)])

    assert loop.objects(*OBJECTS.buckets) == []
    assert len(loop.new_messages()) == 1, "a fault"

"""Expired rows come back from the archive: in the views and tables that kept them, and nowhere else."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.ttl import ttl_at
from andon.packages.discovery import restorers
from andon.runtime import times
from andon.stores.archive.rehydration import MOST_DAYS
from andon.stores.archive.store import BUCKET, LAKE
from andon.testing.drift import keep_in_lake
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from andon.wire import aws
from andon.wire.queue import MOST_BYTES
from contract import groups
from demo.people import ANN, LIZ, TOM
from tests.support.archive import ARCHIVE, DAY_MS, MINUTE_MS, clear, keys_in, line_of, report_of, sweep
from tests.support.samples import NOW
from tests.support.services.crews import assign_crew
from tests.support.services.reports import log_path, report

LONG_AGO = NOW - 40 * DAY_MS + DAY_MS // 2
BEGIN, PROGRESS = "POST /archive/equipment/{id}/rehydrations", "GET /archive/equipment/{id}/rehydrations/{job}"
PERIOD = {"from": times.to_utc(LONG_AGO)[:10], "to": times.to_utc(LONG_AGO)[:10]}
TTL = ttl_at(NOW, 33)
KEPT = ("STATE_LOG_TABLE", "EQUIPMENT_TABLE", "DISPATCH_TABLE")


@pytest.fixture(autouse=True)
def nothing_kept(loop: Loop) -> None:
    clear()
    for table in KEPT:
        _delete(loop, table)
    loop.new_messages()


@pytest.fixture
def sqs(loop: Loop) -> Iterator[Wire]:  # noqa: ARG001
    with Wire(("sqs",)) as wire:
        yield wire


def _delete(loop: Loop, table: str) -> None:
    names = loop.schemas[table].keys.names
    for row in loop.rows(table):
        aws.client("dynamodb").delete_item(TableName=table, Key=to_typed({name: row[name] for name in names}))
    if loop.schemas[table].stream:
        loop.new_records(table)


def lived_through(loop: Loop, equipment_id: str) -> list[dict[str, Any]]:
    """Let something happen long ago, and the lake and the archive keep it; return the events."""
    published = []
    with frozen_clock(LONG_AGO):
        log = {"id": equipment_id, "state": "WARNING1", "timestamp": report(loop, equipment_id, "WARNING1", at=at(0))}
        published += loop.run()
        route = "PUT /equipment/{id}/logs/{state}/{timestamp}/assignment"
        answer = loop.request(route, path={**log, "timestamp": at(0)}, body={"operator": LIZ})
        assert answer.status == 201, answer
        published += loop.run()
        report(loop, equipment_id, "NORMAL", at=at(5))
        published += loop.run()
    envelopes = [{**one, "time": times.to_utc(LONG_AGO)[:19] + "Z"} for one in published]
    assert Counter(one["detail-type"] for one in envelopes) == {"state-reported": 2, "operator-assigned": 1}
    clear()  # the bus in this process takes events at the time of today
    keep_in_lake(json.dumps(one) for one in envelopes)
    sweep(loop)
    return envelopes


def at(minutes: int) -> str:
    return times.to_utc(LONG_AGO + minutes * MINUTE_MS - 10 * MINUTE_MS)


def shown(loop: Loop, equipment_id: str) -> dict[str, Any]:
    """Return the rows as clients see them."""
    routes = {"logs": "/logs", "states": "/states", "episodes": "/episodes"}
    return {
        name: loop.request(f"GET /equipment/{{id}}{path}", path={"id": equipment_id}).body["items"]
        for name, path in routes.items()
    }


def rehydrate(loop: Loop, equipment_id: str, **more: Any) -> Answer:  # noqa: ANN401
    return loop.request(BEGIN, path={"id": equipment_id}, body=PERIOD, **more)


@pytest.mark.parametrize("is_reaped", [False, True], ids=["not yet reaped", "reaped"])
def test_what_expired_comes_back_afresh_and_unpublished(loop: Loop, equipment_id: str, *, is_reaped: bool) -> None:
    lived_through(loop, equipment_id)
    with frozen_clock(LONG_AGO):
        before = shown(loop, equipment_id)
    assert [len(items) for items in before.values()] == [2, 2, 1]
    assert shown(loop, equipment_id) == {"logs": [], "states": [], "episodes": []}
    if is_reaped:
        for table in KEPT:
            _delete(loop, table)
    lake = loop.objects(LAKE)

    assert rehydrate(loop, equipment_id).status == 202

    assert loop.run() == [], "nothing goes over the bus"
    if is_reaped:
        due = [row for row in loop.rows("DISPATCH_TABLE") if row["pk"].startswith("due#")]
        assert due == [], "nothing is to be decided"
    assert loop.sweep() == [], "nobody decides again"
    assert shown(loop, equipment_id) == before
    assert loop.objects(LAKE) == lake
    rows = [row for table in KEPT for row in loop.rows(table) if row.get("ttl", 0) > NOW // 1000]
    assert len(rows) == 2 + 2 + 3
    assert {row["ttl"] for row in rows} == {TTL}
    assert {row.get("latched") for row in loop.rows("EQUIPMENT_TABLE")} == {True}


def test_a_job_tells_how_far_it_is(loop: Loop, equipment_id: str) -> None:
    lived_through(loop, equipment_id)

    begun = rehydrate(loop, equipment_id, subject="Ann")

    assert begun.body["requestedBy"] == "Ann"
    assert (begun.body["state"], begun.body["days"], begun.body["daysDone"]) == ("working", 1, 0)
    path = {"id": equipment_id, "job": begun.body["id"]}
    assert loop.request(PROGRESS, path=path).body == begun.body
    loop.run()
    done = loop.request(PROGRESS, path=path).body
    assert (done["state"], done["daysDone"], done["messages"]) == ("done", 1, 3 + 2 + 3)
    assert done["until"] == times.to_utc(TTL * 1000)
    assert loop.request(PROGRESS, path={**path, "id": "another"}).status == 404
    assert loop.request(PROGRESS, path={**path, "job": "0" * 32}).status == 404
    assert loop.request(PROGRESS, path={**path, "job": "x"}).status == 400


def test_a_period_without_anything_is_done_at_once(loop: Loop) -> None:
    begun = rehydrate(loop, "nobody")

    assert (begun.status, begun.body["state"], begun.body["days"]) == (202, "done", 0)


def test_to_ask_twice_changes_nothing_but_the_end(loop: Loop, equipment_id: str) -> None:
    lived_through(loop, equipment_id)
    for _ in range(2):
        rehydrate(loop, equipment_id)
        assert loop.run() == []
    once = shown(loop, equipment_id)
    with frozen_clock(NOW + DAY_MS):
        rehydrate(loop, equipment_id)
        assert loop.run() == []
        assert shown(loop, equipment_id) == once
        rows = [row for table in KEPT for row in loop.rows(table) if row.get("ttl", 0) > NOW // 1000]
    assert {row["ttl"] for row in rows} == {TTL + 86_400}


def test_only_what_lies_between_the_times_comes_back(loop: Loop, equipment_id: str) -> None:
    for hour in range(3):
        at_ms = LONG_AGO + hour * 60 * MINUTE_MS
        event = report_of(equipment_id, at_ms=at_ms, event_id=f"report {hour}", timestamp=times.to_utc(at_ms))
        keep_in_lake([line_of(event, at_ms=event.timestamp_ms)])
    sweep(loop)
    ends = {"from": times.to_utc(LONG_AGO + 60 * MINUTE_MS), "to": times.to_utc(LONG_AGO + 90 * MINUTE_MS)}

    loop.request(BEGIN, path={"id": equipment_id}, body=ends)
    loop.run()

    [row] = loop.rows("STATE_LOG_TABLE")
    assert row["Date"] == ends["from"]


def test_the_lead_of_a_crew_comes_back_as_the_operator_of_log_and_story(loop: Loop, equipment_id: str) -> None:
    with frozen_clock(LONG_AGO):
        report(loop, equipment_id, "WARNING1", at=at(0))
        published = loop.run()
        assert assign_crew(loop, equipment_id, ANN, [TOM], path=log_path(equipment_id, at=at(0))).status == 201
        published += loop.run()
        before = shown(loop, equipment_id)
    clear()
    keep_in_lake(json.dumps({**one, "time": times.to_utc(LONG_AGO)[:19] + "Z"}) for one in published)
    sweep(loop)
    for table in (*KEPT, "DISPATCH2_TABLE"):
        _delete(loop, table)

    rehydrate(loop, equipment_id)

    assert loop.run() == [], "nothing goes over the bus"
    after = shown(loop, equipment_id)
    assert after["logs"] == before["logs"]
    assert [one["operator"] for one in after["logs"]] == [ANN]
    assert _told(after) == _told(before) != []


def _told(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the stories; the crew's event has another id than the one that dispatch remembered."""
    entries = [entry for episode in found["episodes"] for entry in episode["story"]]
    return [{name: value for name, value in entry.items() if name != "id"} for entry in entries]


def test_a_day_that_fails_comes_again_and_then_is_whole(loop: Loop, equipment_id: str, sqs: Wire) -> None:
    lived_through(loop, equipment_id)
    rehydrate(loop, equipment_id)
    [body] = loop.asked_of_archive()

    for failing in (0, 1, 2):
        left = [failing]

        def is_next(_: Any, left: list[int] = left) -> bool:  # noqa: ANN401
            left[0] -= 1
            return left[0] == -1

        sqs.fail("SendMessageBatch", "Throttled", when=is_next, times=1)
        answer = loop.invoke(ARCHIVE, "listener", sqs_event([body]))
        assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
        assert keys_in(BUCKET, "rehydrations/")[1:] == []
    assert loop.invoke(ARCHIVE, "listener", sqs_event([body])) == {"batchItemFailures": []}
    loop.run()

    assert [len(items) for items in shown(loop, equipment_id).values()] == [2, 2, 1]


def test_what_nobody_can_read_is_counted_and_what_is_too_long_goes_without_its_images(
    loop: Loop, equipment_id: str, log_lines: LogLines
) -> None:
    events = [report_of(equipment_id, at_ms=LONG_AGO, event_id=f"{n}", timestamp=at(n)) for n in range(4)]
    sound, unreadable, longer, endless = (json.loads(line_of(event, at_ms=LONG_AGO)) for event in events)
    unreadable["detail"]["timestamp"] = "soon"
    longer["detail"]["raw"] = {"new": "x" * MOST_BYTES}
    endless["detail"]["state"]["detail"] = "x" * MOST_BYTES
    keep_in_lake(map(json.dumps, (sound, unreadable, longer, endless)))
    sweep(loop)
    rehydrate(loop, equipment_id)

    assert loop.invoke(ARCHIVE, "listener", sqs_event(loop.asked_of_archive())) == {"batchItemFailures": []}

    each = 2 * len(restorers())
    assert [log_lines[-1][name] for name in ("days", "sent", "faults", "failed")] == [1, each, each, 0]
    loop.run()
    assert {row["Date"] for row in loop.rows("STATE_LOG_TABLE")} == {at(0), at(2)}


def test_what_is_no_day_of_a_job_is_tried_again_and_then_a_dead_letter(loop: Loop) -> None:
    answer = loop.invoke(ARCHIVE, "listener", sqs_event(["{", '{"job": "x", "day": "2020-01-01"}']))

    assert len(answer["batchItemFailures"]) == 2


def test_a_report_that_went_straight_to_the_bus_brings_back_its_log_and_no_row(loop: Loop, equipment_id: str) -> None:
    event = report_of(equipment_id, at_ms=LONG_AGO, event_id="stream-first", timestamp=times.to_utc(LONG_AGO))
    wire = json.loads(line_of(event, at_ms=LONG_AGO))
    del wire["detail"]["raw"]
    keep_in_lake([json.dumps(wire)])
    sweep(loop)

    rehydrate(loop, equipment_id)

    assert loop.run() == []
    assert len(loop.rows("STATE_LOG_TABLE")) == 1
    assert loop.rows("EQUIPMENT_TABLE") == []


def test_no_rule_looks_at_what_came_back(loop: Loop, equipment_id: str) -> None:
    """An abnormal report of long ago must not look like the beginning of the episode that begins now."""
    lived_through(loop, equipment_id)
    rehydrate(loop, equipment_id)
    loop.run()
    with_it = _decided(loop, equipment_id)
    without = _decided(loop, f"{equipment_id}-without")

    assert with_it == without


def _decided(loop: Loop, equipment_id: str) -> Counter[str]:
    """Report another abnormal state; return what is published of it, and what is due."""
    report(loop, equipment_id, "ERROR", at=times.to_utc(NOW))
    published = Counter(one["detail-type"] for one in loop.run())
    for minutes in (5, 20, 60):
        with frozen_clock(NOW + minutes * MINUTE_MS):
            published.update(one["detail-type"] for one in loop.sweep())
    return published


def test_a_job_has_at_most_a_year_of_days(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [f"2019-{1 + n // 28:02}-{1 + n % 28:02}" for n in range(300)] + [
        f"2018-01-{n % 28 + 1:02}" for n in range(99)
    ]
    monkeypatch.setattr("andon.stores.archive.command.days_of", lambda *_, **__: iter(days))

    answer = rehydrate(loop, "press-7")

    assert answer.status == 400
    assert str(MOST_DAYS) in json.dumps(answer.body)


@pytest.mark.parametrize(
    "body", [{}, {"from": "2020-01-01"}, {"from": "2020-02-01", "to": "2020-01-01"}, {"from": 1, "to": 2}]
)
def test_a_period_that_is_none_is_refused(loop: Loop, body: dict[str, Any]) -> None:
    assert loop.request(BEGIN, path={"id": "press-7"}, body=body).status == 400


@pytest.mark.parametrize("group", groups.ALL)
def test_admins_alone_begin_a_rehydration_and_auditors_look_at_it(loop: Loop, group: str) -> None:
    path = {"id": "press-7", "job": "0" * 32}

    assert rehydrate(loop, "press-7", groups=[group]).status == (202 if group == "admin" else 403)
    assert loop.request(PROGRESS, path=path, groups=[group]).status == (404 if group in {"admin", "auditor"} else 403)


def test_the_queue_gets_a_message_for_each_day(loop: Loop, equipment_id: str) -> None:
    for day in range(12):
        keep_in_lake([line_of(report_of(equipment_id, event_id=f"{day}"), at_ms=LONG_AGO - day * DAY_MS)])
    sweep(loop)
    body = {"from": "2019-01-01", "to": "2020-12-31"}

    begun = loop.request(BEGIN, path={"id": equipment_id}, body=body).body

    waiting = [json.loads(message) for message in loop.asked_of_archive()]
    assert begun["days"] == len(waiting) == len({one["day"] for one in waiting}) == 12
    assert {one for one, _ in groupby(message["job"] for message in waiting)} == {begun["id"]}

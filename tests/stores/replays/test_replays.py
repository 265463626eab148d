"""A view is filled from the lake again: its own queue alone gets the events, at a rate, whatever fails meanwhile."""

import json
import os
from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.runtime import times
from andon.stores.replays import job
from andon.stores.replays.job import LEAD_MS, LONGEST_DELAY_SECONDS, MOST_AT_ONCE, queue_of
from andon.stores.replays.store import BUCKET, QUEUE, SETTLES
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call
from andon.testing.drift import keep_in_lake
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import REPLAYS, Answer, Loop
from andon.testing.wire import Wire
from andon.wire import aws
from andon.wire.bucket import Bucket
from andon.wire.queue import MOST_BYTES
from contract import groups
from tests.support.archive import DAY_MS, HOUR_MS, MINUTE_MS, clear, line_of, report_of
from tests.support.samples import NOW, fact

BEGIN, PROGRESS = "POST /replays", "GET /replays/{id}"
STATE_LOG: Final = Package("views", "state_log")
LOG: Final = "STATE_LOG_TABLE"
VIEW: Final = "state_log"


@pytest.fixture(autouse=True)
def nothing_kept(loop: Loop) -> None:
    assert isinstance(loop, Loop)
    loop.clear()
    clear()


@pytest.fixture
def sqs(loop: Loop) -> Iterator[Wire]:  # noqa: ARG001
    with Wire(("sqs",)) as wire:
        yield wire


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """The messages sent from here on: queue, delay in seconds, body."""
    found, real = list[tuple[str, int, str]](), aws.call

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        for entry in request.get("Entries", []) if operation == "send_message_batch" else []:
            found.append((request["QueueUrl"], entry.get("DelaySeconds", 0), entry["MessageBody"]))
        return real(service, operation, **request)

    monkeypatch.setattr(aws, "call", call)
    return found


def reports(count: int, *, at_ms: int = NOW - DAY_MS, name: str = "press") -> list[str]:
    """Return lines of one hour, each about a piece of equipment of its own."""
    return [
        line_of(
            report_of(f"{name} {n}", at_ms=at_ms + n, event_id=f"{name} {n}", timestamp=times.to_utc(at_ms + n)),
            at_ms=at_ms,
        )
        for n in range(count)
    ]


def begin(loop: Loop, **body: object) -> Answer:
    return loop.request(BEGIN, body={"view": "state_log", **body})


def begin_days(loop: Loop, **body: object) -> Answer:
    """Begin a replay, and ask for its days."""
    begun = begin(loop, **body)
    step(loop, loop.asked_of_replays())
    return begun


def step(loop: Loop, bodies: list[str]) -> dict[str, Any]:
    answer: dict[str, Any] = loop.invoke(REPLAYS, "listener", sqs_event(bodies))
    return answer


def progress(loop: Loop, begun: Answer) -> dict[str, Any]:
    found = loop.request(PROGRESS, path={"id": begun.body["id"]})
    assert found.status == 200, found
    body: dict[str, Any] = found.body
    return body


def act(loop: Loop, begun: Answer, action: str) -> Answer:
    return loop.request(f"POST /replays/{{id}}/{action}", path={"id": begun.body["id"]})


def test_all_that_the_lake_has_for_a_view_comes_to_it_and_to_nobody_else(loop: Loop, log_lines: LogLines) -> None:
    keep_in_lake(reports(3))
    assigned = fact("operator-assigned", at=NOW - DAY_MS, timestamp=times.to_utc(NOW - DAY_MS))
    audited = fact("audit-recorded", at=NOW - 2 * DAY_MS)
    keep_in_lake([line_of(assigned, at_ms=NOW - DAY_MS)])
    keep_in_lake([line_of(audited, at_ms=NOW - 2 * DAY_MS)])
    lake = loop.objects(BUCKET)

    begun = begin(loop)

    assert (begun.status, begun.headers["location"]) == (202, f"/replays/{begun.body['id']}")
    assert loop.run() == [], "nothing goes over the bus"
    assert len(loop.rows(LOG)) == 4
    for table in loop.schemas:
        assert table in {LOG, "REPLAYS_TABLE"} or loop.rows(table) == [], table
    assert loop.objects(BUCKET) == lake
    done = progress(loop, begun)
    assert (done["state"], done["objects"], done["objectsDone"], done["events"]) == ("done", 3, 3, 4)
    assert (done["days"], done["daysPlanned"], done["faults"]) == (3, 3, 0)
    materialized = [line for line in log_lines if line.get("view") == "state_log"]
    assert sum(line["replayed"] for line in materialized) == 4
    assert not any("lag" in line for line in materialized)


def test_messages_are_marked_by_their_job_and_otherwise_as_the_lake_has_them(loop: Loop) -> None:
    lines = reports(2)
    keep_in_lake(lines)
    begun = begin(loop)
    while asked := loop.asked_of_replays():
        step(loop, asked)

    sent = [json.loads(body) for body in loop.resubmitted(STATE_LOG)]

    mark = {"lake": True, "replay-name": begun.body["id"]}
    assert sent == [json.loads(line) | mark for line in lines]


@pytest.mark.parametrize(
    "name", [*(package.name for package in services()), "lake", "nobody", "", "state_log.listener"]
)
def test_a_service_would_decide_again_and_is_refused_as_is_all_that_is_no_view(loop: Loop, name: str) -> None:
    answer = begin(loop, view=name)

    assert answer.status == 400
    assert loop.rows("REPLAYS_TABLE") == []
    assert loop.asked_of_replays() == []


@pytest.mark.parametrize(
    "body",
    [
        *({"from": "2020-02-01", "to": "2020-01-01"}, {"from": "soon"}, {"from": ""}, {"to": 1}, {"rate": 0}),
        *({"rate": 1001}, {"rate": "10"}, {"rate": True}, {"until": 1}),
    ],
)
def test_a_request_that_says_nothing_sensible_is_refused(loop: Loop, body: dict[str, Any]) -> None:
    assert begin(loop, **body).status == 400


@pytest.mark.parametrize("group", groups.ALL)
def test_admins_alone_have_replays(loop: Loop, group: str) -> None:
    allowed = group == "admin"
    path = {"id": "0" * 32}

    assert loop.request(BEGIN, body={"view": "board"}, groups=[group]).status == (202 if allowed else 403)
    assert loop.request(PROGRESS, path=path, groups=[group]).status == (404 if allowed else 403)
    for action in ("pause", "resume", "cancel"):
        answer = loop.request(f"POST /replays/{{id}}/{action}", path=path, groups=[group])
        assert answer.status == (404 if allowed else 403)


def test_the_hours_between_two_times_are_chosen_each_as_a_whole(loop: Loop) -> None:
    first = NOW - 3 * DAY_MS
    for hour in range(5):
        keep_in_lake(reports(1, at_ms=first + hour * HOUR_MS, name=f"hour {hour}"))
    ends = {"from": times.to_utc(first + HOUR_MS + 30 * MINUTE_MS), "to": times.to_utc(first + 3 * HOUR_MS)}

    begun = begin(loop, **ends)
    loop.run()

    assert {row["DeviceID"] for row in loop.rows(LOG)} == {f"hour {hour} 0" for hour in (1, 2, 3)}
    assert {name: begun.body[name] for name in ends} == ends
    assert progress(loop, begun)["objects"] == 3


def test_the_newest_day_waits_until_the_lake_has_what_the_bus_took_before(
    loop: Loop, delays: list[tuple[str, int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTLES, "605")
    keep_in_lake(reports(1, at_ms=NOW - 5 * DAY_MS))
    begin_days(loop)

    asked = [(seconds, json.loads(body)) for queue, seconds, body in delays if queue == os.environ[QUEUE]]
    waits = {one["day"]: seconds for seconds, one in asked if "day" in one}

    assert waits == {"2020-04-23": 0, "2020-04-27": 605, "2020-04-28": 605}


def test_what_nobody_can_read_is_counted_and_what_is_too_long_goes_without_its_images(loop: Loop) -> None:
    [good] = reports(1)
    wire = json.loads(good)
    ahead = {**wire, "detail": {**wire["detail"], "id": "ahead", "timestamp": NOW + DAY_MS}}
    unreadable = {**wire, "detail": {**wire["detail"], "timestamp": "soon"}}
    longer = json.loads(reports(1, name="long")[0])
    longer["detail"]["raw"] = {"new": "x" * MOST_BYTES}
    endless = json.loads(reports(1, name="endless")[0])
    endless["detail"]["state"]["detail"] = "x" * MOST_BYTES
    deep = good.replace('"detail":{', '"detail": {"deep": ' + "[" * 100 + "]" * 100 + ", ", 1)  # JSON, and yet refused
    assert deep != good
    keep_in_lake([good, deep, *map(json.dumps, (ahead, unreadable, longer, endless))])

    begun = begin(loop)
    loop.run()

    done = progress(loop, begun)
    assert (done["state"], done["events"], done["faults"]) == ("done", 2, 4)
    assert {row["DeviceID"] for row in loop.rows(LOG)} == {"press 0", "long 0"}


def test_a_paused_replay_goes_on_where_it_was_and_a_cancelled_one_never(loop: Loop) -> None:
    for hour in range(3):
        keep_in_lake(reports(2, at_ms=NOW - DAY_MS + hour * HOUR_MS, name=f"hour {hour}"))
    begun = begin_days(loop)
    days = loop.asked_of_replays()
    step(loop, days)
    objects = loop.asked_of_replays()
    step(loop, objects[:1])

    assert act(loop, begun, "pause").body["state"] == "paused"
    step(loop, objects[1:])
    loop.run()
    assert (progress(loop, begun)["state"], progress(loop, begun)["objectsDone"]) == ("paused", 1)
    assert len(loop.rows(LOG)) == 2

    assert act(loop, begun, "resume").body["state"] == "running"
    step(loop, days + objects)
    step(loop, loop.asked_of_replays())
    asked = loop.asked_of_replays()
    assert {json.loads(body)["run"] for body in asked} == {2}, "what an earlier run asked for is dropped"
    step(loop, asked)
    left = loop.asked_of_replays()
    assert len(left) == 2, "what is done is not asked for again"
    step(loop, left)
    loop.run()
    assert (progress(loop, begun)["state"], len(loop.rows(LOG))) == ("done", 6)
    assert act(loop, begun, "pause").body["state"] == "done"

    assert act(loop, begun, "cancel").body["state"] == "done", "nothing is left to cancel"
    assert (act(loop, begun, "resume").status, progress(loop, begun)["state"]) == (200, "done")

    other = begin_days(loop, rate=100)
    step(loop, loop.asked_of_replays())
    assert act(loop, other, "cancel").body["state"] == "cancelled"
    assert act(loop, other, "cancel").status == 200
    assert [act(loop, other, action).status for action in ("pause", "resume")] == [409, 409]
    step(loop, loop.asked_of_replays())
    assert loop.resubmitted(STATE_LOG) == []


@pytest.mark.parametrize("action", ["pause", "cancel"])
def test_whoever_stops_a_replay_reads_it_once_and_again_only_if_it_was_changed_meanwhile(
    loop: Loop, action: str
) -> None:
    keep_in_lake(reports(1))
    begun = begin(loop)

    with Wire(("dynamodb",)) as alone:
        assert act(loop, begun, action).status == 200
    assert alone.operations == ["GetItem", "Query", "UpdateItem"]

    keep_in_lake(reports(1))
    other = begin(loop, rate=200)
    with Wire(("dynamodb",)) as together:
        together.before("UpdateItem", lambda: act(loop, other, "cancel"))
        assert act(loop, other, action).status == (409 if action == "pause" else 200)
    assert progress(loop, other)["state"] == "cancelled"


def test_an_object_that_is_done_is_not_sent_again(loop: Loop) -> None:
    keep_in_lake(reports(2))
    begin_days(loop)
    step(loop, loop.asked_of_replays())
    asked = loop.asked_of_replays()
    step(loop, asked)
    assert len(loop.resubmitted(STATE_LOG)) == 2

    assert step(loop, asked) == {"batchItemFailures": []}

    assert loop.resubmitted(STATE_LOG) == []


def test_what_cannot_be_done_comes_again_and_harms_no_neighbour(loop: Loop, log_lines: LogLines) -> None:
    key = keep_in_lake(reports(1))
    keep_in_lake(reports(1, at_ms=NOW - 2 * DAY_MS, name="other"))
    begin_days(loop)
    step(loop, loop.asked_of_replays())
    asked = loop.asked_of_replays()
    Bucket(BUCKET).remove(key)
    log_lines.clear()

    answer = step(loop, ["{", *asked])

    assert len(answer["batchItemFailures"]) == 2
    [line] = log_lines
    assert [line[name] for name in ("failed", "failed.JSONDecodeError", "failed.NoSuchKey", "sent")] == [2, 1, 1, 1]


def test_a_message_of_no_job_is_dropped(loop: Loop, log_lines: LogLines) -> None:
    assert step(loop, ['{"job": "x", "run": 1, "day": "2020-01-01"}']) == {"batchItemFailures": []}
    assert log_lines[-1]["dropped"] == 1


# The pace.


def test_of_a_long_object_the_rest_is_sent_later_at_the_same_pace(
    loop: Loop, delays: list[tuple[str, int, str]]
) -> None:
    keep_in_lake(reports(50))
    begun = begin_days(loop, rate=1)
    step(loop, loop.asked_of_replays())
    now_ms, due = NOW, dict[str, int]()
    for _ in range(50):  # no message takes more steps than one for each event, unless nothing is held back
        if not (asked := loop.asked_of_replays()):
            break
        delays.clear()
        with frozen_clock(now_ms):
            step(loop, asked)
        for queue, seconds, body in delays:
            if queue == queue_of(VIEW):
                due[json.loads(body)["detail"]["id"]] = now_ms + seconds * 1000
            else:
                now_ms += seconds * 1000

    assert sorted(due.values()) == [NOW + n * 1000 for n in range(50)]
    assert progress(loop, begun)["events"] == 50


@pytest.mark.parametrize("fewer", [True, False])
def test_a_view_that_gets_other_topics_in_the_middle_of_an_object_misses_none_of_those_that_it_keeps(
    loop: Loop, delays: list[tuple[str, int, str]], monkeypatch: pytest.MonkeyPatch, *, fewer: bool
) -> None:
    reported = reports(40)
    kept = [json.loads(reported[0])[member] for member in ("source", "detail-type")]
    other = ["others", kept[1]]
    others = [json.dumps({**json.loads(line), "source": other[0]}) for line in reported]
    keep_in_lake([line for pair in zip(others, reported, strict=True) for line in pair])
    topics = [[kept, other], [kept]] if fewer else [[kept], [kept, other]]
    begin_days(loop, rate=1)
    step(loop, loop.asked_of_replays())
    monkeypatch.setattr(job, "views", lambda: {VIEW: topics[0]})
    step(loop, loop.asked_of_replays())
    monkeypatch.setattr(job, "views", lambda: {VIEW: topics[1]})
    now_ms = NOW
    while asked := loop.asked_of_replays():
        now_ms += 10_000
        with frozen_clock(now_ms):
            step(loop, asked)

    sent = [json.loads(body) for queue, _, body in delays if queue == queue_of(VIEW)]
    assert {one["detail"]["id"] for one in sent if one["source"] == kept[0]} == {
        json.loads(line)["detail"]["id"] for line in reported
    }


def test_objects_take_turns_in_the_pace_of_their_job(loop: Loop, delays: list[tuple[str, int, str]]) -> None:
    for hour in range(3):
        keep_in_lake(reports(4, at_ms=NOW - DAY_MS + hour * HOUR_MS, name=f"hour {hour}"))
    begin_days(loop, rate=2)
    step(loop, loop.asked_of_replays())

    step(loop, loop.asked_of_replays())

    assert [seconds for queue, seconds, _ in delays if queue == queue_of(VIEW)] == [n // 2 for n in range(12)]


def test_who_missed_its_time_gets_another_and_sends_not_all_at_once(
    loop: Loop, delays: list[tuple[str, int, str]]
) -> None:
    keep_in_lake(reports(40))
    begin_days(loop, rate=1)
    step(loop, loop.asked_of_replays())
    step(loop, loop.asked_of_replays())
    asked = loop.asked_of_replays()
    delays.clear()

    with frozen_clock(NOW + HOUR_MS):
        step(loop, asked)

    sent = [seconds for queue, seconds, _ in delays if queue == queue_of(VIEW)]
    assert sent == [*range(40 - 21)]


def test_the_pace() -> None:
    slow = {"at_ms": NOW, "count": 10_000, "now_ms": NOW}
    assert job.sent_by(sent=0, rate=10, **slow) == LEAD_MS // 100 + 1
    assert job.sent_by(sent=0, rate=1000, **slow) == MOST_AT_ONCE
    assert job.sent_by(sent=9_999, rate=1000, **{**slow, "now_ms": NOW + HOUR_MS}) == 10_000
    assert job.sent_by(sent=500, rate=1, **slow) == 500, "nothing is taken back"
    assert job.delay_seconds(NOW + DAY_MS, now_ms=NOW) == LONGEST_DELAY_SECONDS
    assert job.delay_seconds(NOW - 1, now_ms=NOW) == 0


def test_the_rate_that_is_told_is_that_of_what_is_visible_to_the_view(loop: Loop) -> None:
    keep_in_lake(reports(20))
    begun = begin(loop, rate=2)

    loop.run()

    assert progress(loop, begun)["eventsPerSecond"] == 2.0


# Crashes.


class Killed(BaseException):
    """The process ended here."""


def test_a_replay_that_nobody_could_ask_for_is_none(loop: Loop, sqs: Wire) -> None:
    keep_in_lake(reports(2))
    sqs.fail("SendMessageBatch", "Throttled", times=1)

    assert begin(loop).status == 500

    assert [row["sk"] for row in loop.rows("REPLAYS_TABLE")] == ["Rates"], "which is forgotten after a moment"


def test_a_replay_whose_post_was_killed_when_it_had_asked_goes_on_and_gives_its_rate_back(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_in_lake(reports(2))
    with monkeypatch.context() as patched:
        patched.setattr(job, "_keep", raise_killed)
        with pytest.raises(Killed):
            begin(loop, rate=1000)
    assert [row["sk"] for row in loop.rows("REPLAYS_TABLE")] == ["Rates"]

    loop.run()

    [row] = [row for row in loop.rows("REPLAYS_TABLE") if row["sk"] == "Job"]
    done = progress(loop, Answer(202, {}, {"id": row["id"]}))
    assert (done["state"], done["requestedBy"], len(loop.rows(LOG))) == ("done", row["requestedBy"], 2)
    assert [begin(loop, rate=1000, **{"from": day}).status for day in ("2020-01-01", "2020-01-02")] == [202, 202]


def raise_killed(_row: object) -> None:
    raise Killed


def test_a_replay_that_could_not_be_asked_to_go_on_is_resumed_again(loop: Loop, sqs: Wire) -> None:
    keep_in_lake(reports(2))
    begun = begin(loop)
    loop.asked_of_replays()  # they are lost
    act(loop, begun, "pause")
    sqs.fail("SendMessageBatch", "Throttled", times=1)

    assert act(loop, begun, "resume").status == 500

    assert (progress(loop, begun)["state"], loop.run()) == ("running", [])
    assert act(loop, begun, "resume").status == 200
    loop.run()
    assert (progress(loop, begun)["state"], len(loop.rows(LOG))) == ("done", 2)


def lived_again(loop: Loop, breaking: Breaking) -> tuple[str, list[Any], list[dict[str, Any]]]:
    """Begin, work and finish, broken at one call; what was asked for comes again until it is done."""
    assert isinstance(loop, Loop)
    loop.clear()
    for hour in range(2):
        keep_in_lake(reports(2, at_ms=NOW - DAY_MS + hour * HOUR_MS, name=f"hour {hour}"))
    begun = breaking.interrupt(lambda: begin(loop))
    if begun is None or begun.status != 202:
        begun = begin(loop)
    while asked := loop.asked_of_replays():
        answer = breaking.interrupt(lambda asked=asked: step(loop, asked))  # type: ignore[misc]
        if answer is None or answer["batchItemFailures"]:
            step(loop, asked)
    loop.run()
    done = progress(loop, begun)
    return done["state"], [done["objectsDone"], done["events"], done["faults"]], loop.rows(LOG)


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_a_crash_at_any_call_loses_nothing_and_counts_nothing_twice(loop: Loop, interruption: Interruption) -> None:
    expected = lived_again(loop, Breaking.nothing())
    assert expected[:2] == ("done", [2, 4, 0])

    broken = [
        (str(breaking), breaking.broken, ended)
        for breaking, ended in broken_at_every_call(
            interruption, lambda breaking: lived_again(loop, breaking), services=("dynamodb", "s3", "sqs")
        )
    ]

    assert {operation for _, operation, _ in broken} >= {"GetObject", "ListObjectsV2", "SendMessageBatch", "UpdateItem"}
    assert [one for one in broken if one[2] != expected] == []


def test_replays_that_run_send_no_more_together_than_one_may(loop: Loop) -> None:
    keep_in_lake(reports(2))
    first, second = (begin(loop, rate=rate) for rate in (1000, 999))
    assert (first.status, second.status, begin(loop, rate=2).status) == (202, 202, 409)

    act(loop, first, "pause")
    third = begin(loop, rate=900)
    assert (third.status, act(loop, first, "resume").status) == (202, 409)

    loop.run()
    assert [progress(loop, one)["state"] for one in (second, third)] == ["done", "done"]
    assert act(loop, first, "resume").status == 200


def test_a_replay_that_was_admitted_and_never_kept_is_forgotten_after_a_moment(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "begin", lambda row: row)
    begun = [begin(loop, rate=1000, **{"from": day}).status for day in ("2020-01-01", "2020-01-02", "2020-01-03")]
    assert begun == [202, 202, 409]

    with frozen_clock(NOW + 60_000):
        assert begin(loop, rate=1000).status == 202

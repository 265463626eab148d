"""Faults: kept once, shown to admins, and their messages put back."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.fault import MAX_MESSAGE_CHARACTERS, fault_of
from andon.packages.discovery import views
from andon.packages.package import Package
from andon.runtime.errors import Poison
from andon.stores.faults.record import ATTEMPTS_KEPT
from andon.stores.faults.store import BUCKET
from andon.testing.environment import frozen_clock
from andon.testing.log_lines import LogLines
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from andon.wire import aws
from contract import groups
from tests.support.samples import NOW, body_of, fact
from views.state_log import view as state_log

STORE = Package("stores", "faults")
(STATE_LOG,) = (package for package in views() if package.name == "state_log")
LIST, ONE, RESUBMIT = "GET /faults", "GET /faults/{id}", "POST /faults/{id}/resubmit"
DAY_MS = 24 * 60 * 60 * 1000

_numbers = count(1)


@pytest.fixture(autouse=True)
def no_faults(loop: Loop) -> None:
    for one in loop.objects(BUCKET):
        aws.client("s3").delete_object(Bucket=loop.buckets[BUCKET], Key=one["Key"])


@pytest.fixture
def s3(loop: Loop) -> Iterator[Wire]:  # noqa: ARG001
    with Wire(("s3",)) as wire:
        yield wire


def an_id() -> str:
    return f"faulty {next(_numbers)}"


def poison(equipment_id: str = "?") -> str:
    return body_of(fact("state-reported", equipmentId=equipment_id, timestamp="yesterday"))


def a_fault(message: str, *, at_ms: int = NOW, consumer: str = "state_log.listener") -> DomainEvent:
    return fault_of(Poison("no"), message, consumer=consumer, now_ms=at_ms)


def keep(loop: Loop, *faults: DomainEvent) -> list[str]:
    """Deliver faults to the store; give the messages that it wants again."""
    return loop.deliver(STORE, [to_message(fault, source=fault.partition_key.partition(".")[0]) for fault in faults])


def kept(loop: Loop) -> list[str]:
    return [one["Key"] for one in loop.objects(BUCKET) if one["Key"].startswith("faults/")]


def listed(loop: Loop, **query: str) -> Mapping[str, Any]:
    body: Mapping[str, Any] = loop.request(LIST, query=query).body
    return body


def one(loop: Loop, fault: DomainEvent) -> Answer:
    return loop.request(ONE, path={"id": fault.id})


def resubmit(loop: Loop, fault_id: str, **more: Any) -> Answer:  # noqa: ANN401
    return loop.request(RESUBMIT, path={"id": fault_id}, **more)


@pytest.mark.parametrize("at", [0, 5, 9])
def test_a_poison_message_is_one_fault_and_once_fixed_applied(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    equipment_ids = [an_id() for _ in range(10)]
    bodies = [body_of(fact("state-reported", equipmentId=equipment_id)) for equipment_id in equipment_ids]
    bodies[at] = json.dumps(json.loads(bodies[at].replace('"state-reported"', '"state-seen"')), ensure_ascii=False)

    assert loop.deliver(STATE_LOG, bodies) == []
    loop.run()

    written = Counter(row["DeviceID"] for row in loop.rows("STATE_LOG_TABLE"))
    assert [written[equipment_id] for equipment_id in equipment_ids] == [int(number != at) for number in range(10)]
    [fault] = listed(loop)["items"]
    assert (fault["consumer"], fault["error"]["name"]) == ("state_log.listener", "Poison")
    assert loop.request(ONE, path={"id": fault["id"]}).body["message"] == bodies[at]

    monkeypatch.setitem(state_log.ON, ("equipment", "state-seen"), state_log.on_state_reported)
    assert resubmit(loop, fault["id"]).status == 202
    loop.run()

    written = Counter(row["DeviceID"] for row in loop.rows("STATE_LOG_TABLE"))
    assert [written[equipment_id] for equipment_id in equipment_ids] == [1] * 10
    assert len(kept(loop)) == 1


def test_a_message_that_comes_again_on_another_day_is_the_same_fault_of_the_first_day(loop: Loop) -> None:
    for day in range(3):
        assert keep(loop, *[a_fault("{", at_ms=NOW + day * DAY_MS)] * 2) == []

    [fault] = listed(loop)["items"]
    assert fault["timestamp"] == "2020-04-28T00:00:00.000Z"
    [key] = kept(loop)
    assert key.startswith("faults/2020-04-28/")


def test_what_a_crash_left_half_done_is_completed_when_the_message_comes_again(loop: Loop, s3: Wire) -> None:
    s3.fail("PutObject", "InternalError", when=lambda put: put["Key"].startswith("faults/"), times=1)
    fault = a_fault("{")

    assert keep(loop, fault) == ["message-0"]
    assert (one(loop, fault).status, listed(loop)["items"]) == (404, [])
    assert keep(loop, a_fault("{", at_ms=NOW + DAY_MS)) == []

    assert one(loop, fault).body["timestamp"] == "2020-04-28T00:00:00.000Z"


BROKEN = ["", "{", "[]", "null", "{}", '{"id": "x"}', "\udcff", "[" * 10_000]


@pytest.mark.parametrize("body", BROKEN, ids=lambda body: ascii(body[:12]))
@pytest.mark.parametrize("folder", ["faults/", "ids/"])
def test_an_object_that_cannot_be_read_is_as_absent_and_written_anew_when_its_message_comes_again(
    loop: Loop, log_lines: LogLines, folder: str, body: str
) -> None:
    broken, sound = a_fault("{"), a_fault("[")
    keep(loop, broken, sound)
    before = listed(loop)["items"]
    [key] = [one["Key"] for one in loop.objects(BUCKET) if one["Key"].startswith(folder) and broken.id in one["Key"]]
    loop.restore_objects(BUCKET, [{"Key": key, "Body": body}])

    left = [fault["id"] for fault in listed(loop)["items"]]
    assert left == [fault["id"] for fault in before if fault["id"] == sound.id or folder == "ids/"]
    assert [one(loop, broken).status, resubmit(loop, broken.id).status, one(loop, sound).status] == [404, 404, 200]
    assert {line["object"] for line in log_lines if line["message"] == "an object cannot be read"} == {key}

    assert keep(loop, broken, broken) == []
    assert listed(loop)["items"] == before
    assert one(loop, broken).status == 200


def test_what_cannot_be_kept_is_tried_again_alone_and_no_fault_is_published_of_it(loop: Loop, s3: Wire) -> None:
    s3.fail("PutObject", "AccessDenied", when=lambda put: bad.id in put["Key"])
    bad, good = a_fault("bad"), a_fault("good")

    assert keep(loop, good, bad) == ["message-1"]

    assert loop.new_messages() == []
    assert len(kept(loop)) == 1


def a_fault_of(entity: dict[str, Any], *, id: str = "f1") -> str:  # noqa: A002
    event = DomainEvent(id=id, type="fault", timestamp_ms=NOW, partition_key="x", entities={"fault": entity})
    return to_message(event, source="x")


FAULTY = {"consumer": "x.listener", "error": {}, "message": "{"}
NO_FAULTS = [
    *("{", "{}", "null", poison()),
    *(a_fault_of(FAULTY | wrong) for wrong in ({"consumer": ""}, {"error": "no"}, {"message": 1})),
    a_fault_of(FAULTY, id="../ids/f1"),  # it would lead elsewhere in the bucket
]


@pytest.mark.parametrize("body", NO_FAULTS)
def test_what_is_no_fault_is_tried_again_and_no_fault_is_published_of_it(loop: Loop, body: str) -> None:
    assert loop.deliver(STORE, [body]) == ["message-0"]

    assert (loop.new_messages(), kept(loop)) == ([], [])


def test_faults_are_listed_newest_first_page_by_page_without_their_messages(loop: Loop) -> None:
    hours = [0, 30, 31, 55, 80, 81, 104]
    faults = [a_fault(f"{{{hour}", at_ms=NOW + (hour - 104) * 60 * 60 * 1000) for hour in hours]
    keep(loop, *faults)

    for limit in range(1, 9):
        found, page = [], listed(loop, limit=str(limit))
        while True:
            found += page["items"]
            assert len(page["items"]) <= limit
            if "cursor" not in page:
                break
            page = listed(loop, limit=str(limit), cursor=page["cursor"])
        assert [fault["id"] for fault in found] == [fault.id for fault in reversed(faults)]
    assert not [fault for fault in found if "message" in fault]


@pytest.mark.parametrize("cursor", ["x", "W3t9LCIiXQ"])
def test_a_cursor_that_is_none_is_refused(loop: Loop, cursor: str) -> None:
    answer = loop.request(LIST, query={"cursor": cursor})

    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "query.cursor")


@pytest.mark.parametrize("role", groups.ALL)
def test_faults_are_for_admins(loop: Loop, role: str) -> None:
    fault = a_fault("{")
    keep(loop, fault)

    statuses = [loop.request(LIST, groups=[role]).status]
    statuses += [loop.request(route, path={"id": fault.id}, groups=[role]).status for route in (ONE, RESUBMIT)]

    assert statuses == ([200, 200, 202] if role == groups.ADMIN else [403] * 3)


@pytest.mark.parametrize("route", [ONE, RESUBMIT])
@pytest.mark.parametrize(
    ("fault_id", "status"), [("unknown", 404), ("a" * 129, 400), ("a\n", 400), ("../x", 400), ("é", 400)]
)
def test_a_fault_that_is_not_there_and_an_id_that_is_none(loop: Loop, route: str, fault_id: str, status: int) -> None:
    assert loop.request(route, path={"id": fault_id}).status == status


def test_resubmitting_is_noted_and_doing_it_twice_is_harmless(loop: Loop) -> None:
    equipment_id = an_id()
    message = body_of(fact("state-reported", equipmentId=equipment_id))
    fault = a_fault(message)
    keep(loop, fault)

    assert resubmit(loop, fault.id, subject="Ada").status == 202
    with frozen_clock(NOW + 1000):
        again = resubmit(loop, fault.id, subject="Grace")
    loop.run()

    assert again.body["resubmittedAt"] == "2020-04-28T00:00:01.000Z"
    assert [attempt["resubmittedBy"] for attempt in again.body["attempts"]] == ["Ada", "Grace"]
    assert "failedAgainAt" not in again.body
    assert one(loop, fault).body == again.body
    assert (again.body["resubmittedBy"], again.body["message"]) == ("Grace", message)
    assert listed(loop)["items"][0]["resubmittedBy"] == "Grace"
    assert [row["DeviceID"] for row in loop.rows("STATE_LOG_TABLE")].count(equipment_id) == 1


def test_a_resubmission_that_fails_again_is_noted_on_the_fault(loop: Loop) -> None:
    loop.deliver(STATE_LOG, [poison()])
    loop.run()
    [fault] = listed(loop)["items"]

    resubmit(loop, fault["id"], subject="Ada")
    with frozen_clock(NOW + DAY_MS):
        assert [event["detail"]["id"] for event in loop.run()] == [fault["id"]]

    shown = loop.request(ONE, path={"id": fault["id"]}).body
    assert shown["attempts"] == [
        {
            "resubmittedAt": "2020-04-28T00:00:00.000Z",
            "resubmittedBy": "Ada",
            "failedAt": "2020-04-29T00:00:00.000Z",
            "error": fault["error"],
        }
    ]
    [same] = listed(loop)["items"]
    assert same == fault | {
        "resubmittedAt": "2020-04-28T00:00:00.000Z",
        "resubmittedBy": "Ada",
        "resubmissions": 1,
        "failedAgainAt": "2020-04-29T00:00:00.000Z",
    }

    with frozen_clock(NOW + 2 * DAY_MS):
        assert "failedAgainAt" not in resubmit(loop, fault["id"]).body


def test_a_failure_is_noted_once_and_on_its_own_attempt(loop: Loop) -> None:
    first, again, late = (a_fault("{", at_ms=NOW + ms) for ms in (0, 10, 30))
    keep(loop, first)
    with frozen_clock(NOW + 15):
        resubmit(loop, first.id)
    keep(loop, again)
    assert "failedAt" not in one(loop, first).body["attempts"][0], "it failed before"
    with frozen_clock(NOW + 20):
        resubmit(loop, first.id)

    assert keep(loop, first, late, late, again, first, again, late) == []

    attempts = one(loop, first).body["attempts"]
    assert [attempt.get("failedAt", "")[-4:] for attempt in attempts] == ["", "030Z"]


def test_what_fails_again_before_the_command_returns_is_noted(loop: Loop) -> None:
    fault, failure = a_fault("{"), a_fault("{", at_ms=NOW + 1)
    keep(loop, fault)

    with Wire(("sqs",)) as sqs:
        sqs.before("SendMessage", lambda: keep(loop, failure))
        resubmit(loop, fault.id)

    [attempt] = one(loop, fault).body["attempts"]
    assert attempt["failedAt"] == "2020-04-28T00:00:00.001Z"


def test_no_note_is_lost_when_two_are_made_at_once(loop: Loop, s3: Wire) -> None:
    fault, failure = a_fault("{"), a_fault("{", at_ms=NOW + 1)
    keep(loop, fault)
    resubmit(loop, fault.id, subject="Ada")

    s3.before("PutObject", lambda: keep(loop, failure))
    with frozen_clock(NOW + 2):
        resubmit(loop, fault.id, subject="Grace")

    noted = [(attempt["resubmittedBy"], "failedAt" in attempt) for attempt in one(loop, fault).body["attempts"]]
    assert noted == [("Ada", True), ("Grace", False)]


def test_a_fault_keeps_its_newest_attempts_and_counts_all(loop: Loop) -> None:
    fault = a_fault("{")
    keep(loop, fault)

    for number in range(ATTEMPTS_KEPT + 2):
        answer = resubmit(loop, fault.id, subject=str(number))

    assert answer.body["resubmissions"] == ATTEMPTS_KEPT + 2
    assert [one["resubmittedBy"] for one in answer.body["attempts"]] == [str(2 + n) for n in range(ATTEMPTS_KEPT)]


@pytest.mark.parametrize("message", ["", "\ufffe", "a\x00b", "\x0b"], ids=ascii)
def test_a_message_that_no_queue_takes_cannot_be_put_back(loop: Loop, message: str) -> None:
    fault = a_fault(message)
    keep(loop, fault)

    assert resubmit(loop, fault.id).status == 409


def test_words_of_an_error_are_kept_as_long_as_our_consumers_write_them(loop: Loop) -> None:
    loop.deliver(STORE, [a_fault_of(FAULTY | {"error": {"name": "n" * 5_000, "message": "m" * 5_000}})])

    [shown] = listed(loop)["items"]
    assert {name: len(text) for name, text in shown["error"].items()} == {"name": 1_000, "message": 1_000}


@pytest.mark.parametrize("consumer", ["equipment.trigger", "equipment", "gone.listener", ".listener", "path.listener"])
def test_what_came_from_no_queue_of_ours_cannot_be_put_back(loop: Loop, consumer: str) -> None:
    fault = a_fault("{", consumer=consumer)
    keep(loop, fault)

    answer = resubmit(loop, fault.id)

    assert answer.status == 409
    assert consumer in answer.body["detail"]
    assert "resubmittedAt" not in one(loop, fault).body


def test_a_message_of_which_only_the_beginning_was_kept_cannot_be_put_back(loop: Loop) -> None:
    fault = a_fault("x" * (MAX_MESSAGE_CHARACTERS + 1))
    keep(loop, fault)

    assert resubmit(loop, fault.id).status == 409
    assert one(loop, fault).body["truncated"] is True


def test_the_store_logs_what_became_of_every_fault(loop: Loop, log_lines: LogLines) -> None:
    loop.deliver(STORE, [*[to_message(a_fault("{"), source="state_log")] * 2, "{"])

    [line] = log_lines
    counted = {name: line[name] for name in ("view", "received", "applied", "duplicate", "failed", "errors")}
    assert counted == {"view": "faults", "received": 3, "applied": 1, "duplicate": 1, "failed": 1, "errors": ["Poison"]}


def test_a_fault_is_kept_of_its_own_consumer_only(loop: Loop) -> None:
    forged = to_message(a_fault(poison()), source="somebody")

    assert loop.deliver(STORE, [forged]) == ["message-0"]
    assert kept(loop) == []


def test_a_fault_from_ahead_is_of_now_and_does_not_stay_the_newest(loop: Loop) -> None:
    ahead, later = a_fault(poison("ahead"), at_ms=9_940_000_000_000), a_fault(poison("later"), at_ms=NOW + 1)

    keep(loop, ahead)
    with frozen_clock(NOW + 1):
        keep(loop, later)

    assert [item["id"] for item in listed(loop)["items"]] == [later.id, ahead.id]
    assert one(loop, ahead).body["timestamp"] == "2020-04-28T00:00:00.000Z"


def test_a_message_that_says_it_is_a_replay_is_not_put_back(loop: Loop) -> None:
    marked = {**json.loads(body_of(fact("state-reported"))), "replay-name": "x", "lake": True, "until": 9_999_999_999}
    fault = a_fault(json.dumps(marked))
    keep(loop, fault)

    loop.resubmitted(STATE_LOG)

    assert resubmit(loop, fault.id).status == 409
    assert loop.resubmitted(STATE_LOG) == []

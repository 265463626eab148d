"""Attachments of orders: uploaded once, shown with an address to read them, gone with the last order that has them."""

from typing import Any, Final

import pytest

from andon.runtime.clock import DAY_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call
from andon.testing.environment import frozen_clock
from andon.testing.log_lines import LogLines
from andon.testing.loop import Answer, Loop
from andon.testing.memory import aws as memory
from andon.testing.wire import Wire
from andon.wire import aws
from tests.services.maintenance.requests import NOW, register, send
from tests.services.maintenance.samples import DIGEST, ORDER, PATH, PHOTO

PUT: Final = f"PUT {PATH}/attachments/{{sha256}}"
LIST: Final = f"GET {PATH}/attachments"
BODY: Final = {"contentType": "image/jpeg", "bytes": len(PHOTO)}
BUCKET: Final = "ATTACHMENTS_BUCKET"
LATER_KIND: Final = "inspection"


@pytest.fixture(autouse=True)
def _begun(loop: Loop) -> None:
    begin(loop)


def begin(loop: Loop) -> None:
    """Start two orders."""
    loop.clear()
    register(loop)
    with frozen_clock(NOW):
        for kind in (ORDER["kind"], LATER_KIND):
            send(loop, f"PUT {PATH}", {"plannedFor": "2026-01-20"} if kind == LATER_KIND else {}, kind=kind)
            send(loop, f"POST {PATH}/start", kind=kind)
        loop.run()


def put(loop: Loop, body: dict[str, Any] | None = None, *, sha256: str = DIGEST, kind: str = ORDER["kind"]) -> Answer:
    return send(loop, PUT, body or BODY, sha256=sha256, kind=kind)


def upload(loop: Loop, answer: Answer, body: bytes = PHOTO) -> int:
    told = answer.body["upload"]
    return memory.request(loop, told["method"], told["url"], headers=told["headers"], body=body)[0]


def attach(loop: Loop) -> Answer:
    """Do all that a client does."""
    answer = put(loop)
    if answer.status == 202:
        assert upload(loop, answer) == 200
        answer = put(loop)
    return answer


def listed(loop: Loop, kind: str = ORDER["kind"]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = send(loop, LIST, kind=kind).body["items"]
    return items


def test_a_photo_is_uploaded_attached_and_read(loop: Loop) -> None:
    with frozen_clock(NOW):
        asked = put(loop)
        assert listed(loop) == []
        assert upload(loop, asked) == 200
        made, again, [shown] = put(loop), put(loop), listed(loop)

        assert [one.status for one in (asked, made, again)] == [202, 201, 200]
        assert made.body == again.body == shown
        assert shown["contentType"] == "image/jpeg"
        assert memory.request(loop, "GET", shown["url"]) == (200, PHOTO)
        facts = [event["detail"] for event in loop.run() if event["source"] == "maintenance"]
    assert [(one["type"], one["attachment"]["sha256"]) for one in facts] == [("attachment-added", DIGEST)]


def test_another_order_has_the_same_object_and_it_goes_with_the_last_of_them(loop: Loop) -> None:
    with frozen_clock(NOW):
        assert [attach(loop).status, put(loop, kind=LATER_KIND).status] == [201, 201]
        assert len(loop.objects(BUCKET)) == 1

    kept = []
    for day in (89, 97, 98, 99, 108, 111):
        with frozen_clock(now := NOW + day * DAY_MS):
            loop.reap(now)
            loop.run()
            for kind in (ORDER["kind"], LATER_KIND):
                for one in listed(loop, kind=kind):
                    assert memory.request(loop, "GET", one["url"]) == (200, PHOTO)
            shown = [len(listed(loop, kind=kind)) for kind in (ORDER["kind"], LATER_KIND)]
            kept.append((day, *shown, len(loop.objects(BUCKET))))

    assert kept == [(89, 1, 1, 1), (97, 1, 1, 1), (98, 0, 1, 1), (99, 0, 1, 1), (108, 0, 1, 1), (111, 0, 0, 0)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({**BODY, "bytes": 8}, 409),
        ({**BODY, "contentType": "image/png"}, 409),
        ({**BODY, "contentType": "text/html"}, 400),
        ({**BODY, "bytes": 0}, 400),
        ({**BODY, "bytes": 10 * 1024 * 1024 + 1}, 400),
        ({**BODY, "name": "me.jpg"}, 400),
    ],
    ids=str,
)
def test_what_is_said_otherwise_than_it_is_or_too_large_is_refused(
    loop: Loop, body: dict[str, Any], status: int
) -> None:
    with frozen_clock(NOW):
        attach(loop)

        assert put(loop, body).status == status
        assert len(listed(loop)) == 1


def test_what_has_not_the_digest_is_refused_and_not_kept(loop: Loop) -> None:
    with frozen_clock(NOW):
        assert upload(loop, put(loop), b"x photo") == 400
        assert put(loop).status == 202
        assert put(loop, sha256=DIGEST.upper()).status == 400
    assert (loop.objects(BUCKET), listed(loop)) == ([], [])


@pytest.mark.parametrize("left", [None, b"", b"x photo"], ids=["missing", "empty", "other bytes"])
def test_a_lost_photo_is_listed_as_missing_and_asked_for_again(
    loop: Loop, log_lines: LogLines, left: bytes | None
) -> None:
    with frozen_clock(NOW):
        attach(loop)
        [whole] = listed(loop)
        [key] = [one["Key"] for one in loop.objects(BUCKET)]
        aws.client("s3").delete_object(Bucket=loop.buckets[BUCKET], Key=key)
        if left is not None:
            aws.client("s3").put_object(Bucket=loop.buckets[BUCKET], Key=key, Body=left)

        [shown] = listed(loop)
        assert shown == {**whole, "isMissing": True}
        assert left is not None or memory.request(loop, "GET", shown["url"])[0] == 404
        assert [line["object"] for line in log_lines if line["message"] == "an object is lost"] == [key]
        assert (put(loop).status, attach(loop).status, listed(loop)) == (202, 200, [whole])


def test_a_list_is_shown_while_objects_cannot_be_looked_for(loop: Loop) -> None:
    with frozen_clock(NOW), Wire(("s3",)) as wire:
        attach(loop)
        wire.fail("HeadObject", "AccessDenied")

        assert "isMissing" not in listed(loop)[0]


def test_an_order_has_attachments_once_it_was_started(loop: Loop) -> None:
    with frozen_clock(NOW):
        send(loop, f"PUT {PATH}", {}, kind="cleaning")

        assert put(loop, kind="cleaning").status == 409
        assert put(loop, kind="painting").status == 404
        send(loop, f"POST {PATH}/finish", {"result": "skipped"}, kind="cleaning")
        assert put(loop, kind="cleaning").status == 202


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_killed_at_each_call_and_sent_again_it_is_attached_once(loop: Loop, interruption: Interruption) -> None:
    def run(breaking: Breaking) -> tuple[int, int, int]:
        begin(loop)
        with frozen_clock(NOW):
            put(loop)
            breaking.interrupt(lambda: attach(loop))
            status = attach(loop).status
            return status, len(listed(loop)), len(loop.objects(BUCKET))

    seen = [of for _, of in broken_at_every_call(interruption, run, services=("dynamodb", "s3"))]
    assert {(listed, objects) for _, listed, objects in seen} == {(1, 1)}
    assert {status for status, *_ in seen} <= {200, 201}
    assert len(seen) > 5

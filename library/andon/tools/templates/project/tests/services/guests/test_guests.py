"""Promises of guests to its callers: names are read by their ids, and an erasure leaves none."""

import json
from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.guests.samples import ONE, SAID

NOW_MS = 1_767_258_000_000
PUT, GET, DELETE = "PUT /guests/{id}", "GET /guests/{id}", "DELETE /guests/{id}"
ERASED = {"id": "p-1001", "erased": True}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def test_a_name_is_read_by_its_id_and_never_published(loop: Loop) -> None:
    assert loop.request(PUT, path=ONE, body=SAID).status == 201

    assert loop.request(GET, path=ONE).body.items() >= {**ONE, **SAID, "version": 1}.items()
    some = loop.request("GET /guests", query={"ids": "p-1002,p-1001"}).body["items"]
    assert [one["id"] for one in some] == ["p-1001"]
    assert SAID["name"] not in json.dumps(loop.run(), ensure_ascii=False)


def test_an_id_that_could_be_a_name_is_refused(loop: Loop) -> None:
    assert loop.request(PUT, path={"id": "Ana"}, body=SAID).status == 400


# <placed>
def test_guests_of_a_hall_are_listed_and_others_hear_where_they_are(loop: Loop) -> None:
    loop.request(PUT, path=ONE, body=SAID)

    [placed] = loop.run()
    assert placed["detail"]["placement"] == {"id": "p-1001", "hallId": "hall-1"}
    listed = loop.request("GET /halls/{hallId}/guests", path={"hallId": "hall-1"}).body["items"]
    assert [one["id"] for one in listed] == ["p-1001"]


# </placed>
def test_an_erasure_leaves_the_id_alone_and_others_hear_of_it_once(loop: Loop) -> None:
    loop.request(PUT, path=ONE, body=SAID)
    loop.run()
    with frozen_clock(NOW_MS + 1):
        assert [loop.request(DELETE, path=ONE, groups=["admin"]).status for _ in range(2)] == [204, 204]

    [event] = loop.run()
    assert event["detail-type"] == "guest-erased"
    assert event["detail"]["guest"] == {"id": "p-1001", "erasedAt": "2026-01-01T09:00:00.001Z"}
    assert loop.request(GET, path=ONE).body == ERASED
    assert loop.request("GET /guests", query={"ids": "p-1001"}).body["items"] == [ERASED]
    assert loop.request(PUT, path=ONE, body=SAID).status == 409
    assert SAID["name"] not in json.dumps([loop.rows(table) for table in loop.schemas], default=str, ensure_ascii=False)

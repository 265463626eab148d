"""Promises of things to its callers; those that it makes as a package, the laws try."""

from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.things.samples import ONE

NOW_MS = 1_767_258_000_000
PUT = "PUT /things/{id}"


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def test_what_is_put_is_published(loop: Loop) -> None:
    put = loop.request(PUT, path=ONE, body={"place": "place-1", "number": "A-7", "due": "2026-01-31T00:00:00.000Z"})

    assert put.status == 201
    assert (
        put.body.items()
        >= {
            "id": "thing-1",
            "version": 1,
            "place": "place-1",
            "number": "A-7",
            "due": "2026-01-31T00:00:00.000Z",
        }.items()
    )
    [event] = [event for event in loop.run() if event["source"] == "things"]
    assert event["detail-type"] == "thing-moved"
    assert event["detail"]["thing"] == {
        "id": "thing-1",
        "version": 1,
        "place": "place-1",
        "number": "A-7",
        "due": "2026-01-31T00:00:00.000Z",
    }


def test_a_change_names_the_version_that_it_was_made_for(loop: Loop) -> None:
    loop.request(PUT, path=ONE, body={"place": "place-1", "number": "A-7", "due": "2026-01-31T00:00:00.000Z"})
    unnamed = loop.request(PUT, path=ONE, body={"place": "place-2", "number": "A-8", "due": "2026-02-28T00:00:00.000Z"})
    stale = loop.request(
        PUT,
        path=ONE,
        body={"place": "place-2", "number": "A-8", "due": "2026-02-28T00:00:00.000Z"},
        headers={"if-match": '"7"'},
    )
    changed = loop.request(
        PUT,
        path=ONE,
        body={"place": "place-2", "number": "A-8", "due": "2026-02-28T00:00:00.000Z"},
        headers={"if-match": '"1"'},
    )

    assert (unnamed.status, stale.status, changed.status) == (428, 412, 200)
    assert changed.headers["etag"] == '"2"'


def test_what_is_said_of_the_place_is_not_empty(loop: Loop) -> None:
    assert (
        loop.request(PUT, path=ONE, body={"place": " ", "number": "A-7", "due": "2026-01-31T00:00:00.000Z"}).status
        == 400
    )

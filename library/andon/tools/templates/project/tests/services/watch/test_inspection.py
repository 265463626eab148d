# <inspection>
"""The inspection of one is published, and changed by whoever knows it."""

from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.watch.samples import RECORDED

NOW_MS = 1_767_258_000_000
PUT = "PUT /watch/{id}/inspection"


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def test_what_is_recorded_is_published(loop: Loop) -> None:
    put = loop.request(PUT, path=RECORDED, body={"note": "note-1"})

    assert put.status == 201
    assert put.body.items() >= {"about": RECORDED["id"], "version": 1, "note": "note-1"}.items()
    [event] = [event for event in loop.run() if event["source"] == "watch"]
    assert event["detail-type"] == "inspection-recorded"
    assert event["detail"]["inspection"] == {"about": RECORDED["id"], "version": 1, "note": "note-1"}


def test_a_change_names_the_version_that_it_was_made_for(loop: Loop) -> None:
    loop.request(PUT, path=RECORDED, body={"note": "note-1"})
    unnamed = loop.request(PUT, path=RECORDED, body={"note": "note-2"})
    changed = loop.request(PUT, path=RECORDED, body={"note": "note-2"}, headers={"if-match": '"1"'})

    assert (unnamed.status, changed.status) == (428, 200)


# </inspection>

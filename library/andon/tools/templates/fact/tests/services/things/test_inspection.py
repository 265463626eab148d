"""An inspection is published, and changed by whoever knows it."""

from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.things.samples import INSPECTED

NOW_MS = 1_767_258_000_000
PUT = "PUT /things/{id}/inspection"


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def test_what_is_recorded_is_published(loop: Loop) -> None:
    put = loop.request(PUT, path=INSPECTED, body={"note": "as new"})

    assert put.status == 201
    assert put.body.items() >= {"about": INSPECTED["id"], "version": 1, "note": "as new"}.items()
    [event] = [event for event in loop.run() if event["source"] == "things"]
    assert event["detail-type"] == "inspection-recorded"
    assert event["detail"]["inspection"] == {"about": INSPECTED["id"], "version": 1, "note": "as new"}


def test_a_change_names_the_version_that_it_was_made_for(loop: Loop) -> None:
    loop.request(PUT, path=INSPECTED, body={"note": "as new"})
    unnamed = loop.request(PUT, path=INSPECTED, body={"note": "worn"})
    changed = loop.request(PUT, path=INSPECTED, body={"note": "worn"}, headers={"if-match": '"1"'})

    assert (unnamed.status, changed.status) == (428, 200)

"""Promises of readings to its callers; those that it makes as a package, the laws try."""

from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.readings.samples import AT, DEVICE, EARLIER, PUT

NOW_MS = 1_767_258_000_000
AHEAD = {**DEVICE, "timestamp": "2026-01-01T09:06:00.000Z"}
LONG_AGO = {**DEVICE, "timestamp": "2025-01-01T09:00:00.000Z"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW_MS):
        yield loop


def put(loop: Loop, path: dict[str, str], value: float) -> int:
    return loop.request(PUT, path=path, body={"value": value}).status


def test_each_is_published_once_with_its_own_time_however_late_and_often_it_comes(loop: Loop) -> None:
    assert [put(loop, path, 17.5) for path in (AT, AT, EARLIER, AT)] == [201, 200, 201, 200]

    published = [event["detail"]["reading"] for event in loop.run() if event["source"] == "readings"]
    assert published == [{**path, "value": 17.5} for path in (AT, EARLIER)]
    listed = loop.request("GET /readings/{deviceId}", path=DEVICE).body["items"]
    assert listed == published


def test_another_one_of_the_same_time_is_refused(loop: Loop) -> None:
    assert [put(loop, AT, 17.5), put(loop, AT, 16.5)] == [201, 409]
    assert loop.request("GET /readings/{deviceId}/{timestamp}", path=AT).body["value"] == 17.5


@pytest.mark.parametrize("path", [AHEAD, LONG_AGO])
def test_a_time_ahead_of_the_clock_or_of_long_ago_is_refused(loop: Loop, path: dict[str, str]) -> None:
    assert put(loop, path, 17.5) == 400
    assert loop.request("GET /readings/{deviceId}/{timestamp}", path=path).status == 404

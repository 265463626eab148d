"""The estimate of one is published once, with its own time, and never changed."""

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.parcels.samples import RECORDED, RECORDED_AT

NOW_MS = 1_767_258_000_000
EARLIER = {**RECORDED, "timestamp": "2026-01-01T08:58:00.000Z"}
PUT = "PUT /parcels/{id}/estimate/{timestamp}"


def put(loop: Loop, path: dict[str, str], value: float) -> int:
    return loop.request(PUT, path=path, body={"value": value}).status


def test_each_is_published_once_with_its_own_time_however_late_and_often_it_comes() -> None:
    with Loop() as loop, frozen_clock(NOW_MS):
        assert [put(loop, path, 17.5) for path in (RECORDED_AT, RECORDED_AT, EARLIER)] == [201, 200, 201]
        assert put(loop, EARLIER, 16.5) == 409

        published = [event["detail"]["estimate"] for event in loop.run() if event["source"] == "parcels"]
        times = [path["timestamp"] for path in (RECORDED_AT, EARLIER)]
        assert published == [{"about": RECORDED["id"], "timestamp": at, "value": 17.5} for at in times]
        assert loop.request("GET /parcels/{id}/estimate", path=RECORDED).body["items"] == published

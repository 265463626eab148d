"""Shares of a route: laws of the token buckets, and what `HttpApi` makes of them."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from itertools import accumulate
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from andon.http.http_api import HttpApi
from andon.http.response import Response, respond
from andon.http.shares import BURST_SECONDS, VARIABLE, Shares, shares_of
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import http_event
from andon.testing.log_lines import LogLines
from toys.clock import NOW

ONE, OTHER = "one", "another"
RATES = st.integers(1, 50)
BURSTS = st.integers(1, 60)
PAUSES_MS = st.lists(st.sampled_from([0, 1, 7, 40, 199, 200, 1_000, 1_001, 60_000]), min_size=1, max_size=120)
STEPS_MS = st.lists(st.integers(-5_000, 5_000), min_size=1, max_size=60)


def admitted(bucket: Shares, times_ms: list[int], caller: str = ONE) -> list[int]:
    return [at for at in times_ms if not bucket.take(caller, at)]


@given(RATES, BURSTS, PAUSES_MS)
def test_no_window_admits_more_than_burst_and_rate_allow(rate: int, burst: int, pauses: list[int]) -> None:
    times = admitted(Shares(rate, burst), [*accumulate(pauses)])

    for first, begin in enumerate(times):
        for count, end in enumerate(times[first:], 1):
            assert count <= burst + rate * (end - begin) / 1_000


@given(RATES, BURSTS, st.integers(0, 10**15))
def test_an_idle_caller_may_send_exactly_a_burst_at_once(rate: int, burst: int, now: int) -> None:
    bucket = Shares(rate, burst)

    assert len(admitted(bucket, [now] * (burst + 5))) == burst
    for times_as_long in (1, 10):
        now += times_as_long * ceil(1_000 * burst / rate)
        assert len(admitted(bucket, [now] * (burst + 5))) == burst


@given(RATES, BURSTS, PAUSES_MS)
def test_a_request_that_is_refused_is_admitted_after_the_seconds_that_it_was_told_however_often_it_asks(
    rate: int, burst: int, pauses: list[int]
) -> None:
    bucket, now = Shares(rate, burst), 0
    for _ in range(burst):
        assert bucket.take(ONE, now) == 0
    for pause in pauses:
        now += pause
        if seconds := bucket.take(ONE, now):
            assert 0 < seconds <= 1 / rate
            due = now + ceil(seconds * 1_000)
            assert [bucket.take(ONE, at) > 0 for at in range(now + 1, due, 50)] == [True] * len(range(now + 1, due, 50))
            assert bucket.take(ONE, due) == 0
            now = due


@given(RATES, BURSTS, PAUSES_MS, st.data())
def test_one_caller_changes_nothing_for_another(rate: int, burst: int, pauses: list[int], data: st.DataObject) -> None:
    times, together = [*accumulate(pauses)], Shares(rate, burst)
    alone = Shares(rate, burst)

    for at in times:
        for _ in range(data.draw(st.integers(0, 5))):
            together.take(OTHER, at)
        assert together.take(ONE, at) == alone.take(ONE, at)


@given(st.integers(1, 20), st.integers(1, 3))
def test_no_more_callers_are_remembered_than_there_may_be_and_who_is_dropped_begins_full(most: int, burst: int) -> None:
    bucket = Shares(1, burst, most)
    assert len(admitted(bucket, [NOW] * 9)) == burst

    for number in range(most - 1):
        bucket.take(f"caller {number}", NOW)
    assert admitted(bucket, [NOW]) == []

    for number in range(most):
        bucket.take(f"caller {number}", NOW)
    assert len(admitted(bucket, [NOW] * 9)) == burst


def test_who_floods_is_not_dropped_while_others_come_and_go() -> None:
    bucket = Shares(1, 3, most_callers=2)
    assert len(admitted(bucket, [NOW] * 3)) == 3

    for number in range(50):
        bucket.take(f"caller {number}", NOW)
        assert bucket.take(ONE, NOW) == 1


@given(RATES, BURSTS, STEPS_MS)
def test_a_clock_that_goes_backwards_harms_nobody(rate: int, burst: int, steps: list[int]) -> None:
    """Only the time counts by which the clock goes forwards: as if it had stood still instead."""
    jumping, patient = Shares(rate, burst), Shares(rate, burst)
    at = still = 1_000_000

    for step in steps:
        at, still = at + step, still + max(0, step)
        assert jumping.take(ONE, at) == patient.take(ONE, still)


ROUTE, FREE = "PUT /things/{id}", "POST /things"
app = HttpApi()
reached: list[str] = []


class Thing(BaseModel):
    """A body."""

    colour: str


@app.serves(ROUTE, groups=frozenset({"admin"}), is_shared=True)
def put_thing(body: Thing) -> Response:
    reached.append(app.caller.subject)
    return respond(HTTPStatus.OK, {"colour": body.colour})


@app.serves(FREE, groups=frozenset({"admin"}))
def post_thing() -> Response:
    return respond(HTTPStatus.OK, {})


def call(route: str = ROUTE, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    event = http_event(route, **({"path": {"id": "x"}, "body": {"colour": "red"}} | parts))
    return app.handler(event, LocalContext("things-command"))


@pytest.fixture
def _five_a_second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The setting, a new worker, and a clock that stands still."""
    monkeypatch.setenv(VARIABLE, "5")
    shares_of.cache_clear()  # a worker lives as long as the process
    with frozen_clock(NOW):
        yield
    shares_of.cache_clear()


@pytest.mark.usefixtures("_five_a_second")
def test_one_callers_flood_is_refused_with_retry_after_and_another_is_served(
    log_lines: LogLines,
) -> None:
    reached.clear()
    statuses = [call(subject="flooding")["statusCode"] for _ in range(200)]
    refused, served = call(subject="flooding"), call(subject="another")

    assert statuses == [200] * 5 * BURST_SECONDS + [429] * 150
    assert refused["headers"]["retry-after"] == "1"
    assert refused["headers"]["Content-Type"] == "application/problem+json"
    assert json.loads(refused["body"]) == {
        "type": "about:blank",
        "title": "Too Many Requests",
        "status": 429,
        "detail": "You send too many requests to this route; send this one again later.",
    }
    assert served["statusCode"] == 200
    assert reached == ["flooding"] * 50 + ["another"]
    assert [line["level"] for line in log_lines if line["status"] == 429] == ["INFO"] * 151


@pytest.mark.usefixtures("_five_a_second")
def test_a_caller_is_served_again_after_the_time_that_it_was_told() -> None:
    for _ in range(60):
        response = call()
    with frozen_clock(NOW + 1_000 * int(response["headers"]["retry-after"])):
        assert [call()["statusCode"] for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.usefixtures("_five_a_second")
def test_another_group_is_refused_before_it_is_counted_and_what_is_invalid_after() -> None:
    assert {call(groups=["device"])["statusCode"] for _ in range(60)} == {403}

    invalid = [call(body="not JSON")["statusCode"] for _ in range(60)]

    assert invalid == [400] * 50 + [429] * 10


@pytest.mark.usefixtures("_five_a_second")
def test_a_route_that_is_not_shared_out_refuses_nobody() -> None:
    assert {call(FREE)["statusCode"] for _ in range(200)} == {200}


def test_without_the_setting_nobody_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)

    assert {call()["statusCode"] for _ in range(200)} == {200}

"""No request begins in the last second of an invocation."""

from dataclasses import dataclass
from typing import Any, Final

import pytest

from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.testing.environment import frozen_clock
from andon.wire.deadline import (
    ATTEMPT_MS,
    LAST_MS,
    RESPONSE_MS,
    begun_by,
    in_time,
    require_in_time,
    time_of_attempt_ms,
)
from toys.clock import NOW


@dataclass
class Hurried:
    """An invocation that has so much time left."""

    left_ms: int
    function_name: str = "hurried"
    aws_request_id: str = "one request"

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


SHORT: Final = Hurried(900)


@in_time
def handle(event: str, context: Any, *, more: str) -> str:  # noqa: ANN401, ARG001
    require_in_time()
    return event + more


def test_a_request_begins_while_there_is_time_for_it() -> None:
    with frozen_clock(NOW):
        assert handle("a", Hurried(LAST_MS), more="b") == "ab"
        with pytest.raises(CallFailed, match="BegunTooLate"):
            handle("a", Hurried(LAST_MS - 1), more="b")
        require_in_time()


def test_an_inner_deadline_counts_if_it_is_earlier() -> None:
    with frozen_clock(NOW), begun_by(NOW + 10):
        with begun_by(NOW + 20), pytest.raises(CallFailed):
            require_in_time(0.011)
        with begun_by(NOW - 1), pytest.raises(CallFailed):
            require_in_time()
        require_in_time(0.01)


def test_time_goes_on_while_a_handler_works(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([NOW, NOW + 500, NOW + 501])
    monkeypatch.setattr(clock, "now_ms", lambda: next(now))

    @in_time
    def slow(_: Any) -> None:  # noqa: ANN401
        require_in_time()
        require_in_time()

    with pytest.raises(CallFailed, match="BegunTooLate"):
        slow(Hurried(LAST_MS + 500))


def test_an_attempt_takes_no_longer_than_is_left_of_its_invocation() -> None:
    times = []

    @in_time
    def attempt(_: Hurried) -> None:
        times.append(time_of_attempt_ms())

    with frozen_clock(NOW):
        for left_ms in (60_000, ATTEMPT_MS, 1_200):
            attempt(Hurried(left_ms))

    assert times == [ATTEMPT_MS, ATTEMPT_MS - RESPONSE_MS, 1_200 - RESPONSE_MS]
    assert time_of_attempt_ms() == ATTEMPT_MS

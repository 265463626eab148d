"""No handler begins a request in the last second of its invocation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from andon.events.publish import NotPublished
from andon.packages.package import Package
from andon.rules.sweep import MARGIN_MS
from andon.runtime.errors import CallFailed
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event, sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.wire.deadline import time_of_attempt_ms
from andon.wire.retries import SILENT
from tests.support.samples import body_of, fact, sample


@dataclass
class Hurried:
    """An invocation that has so much time left."""

    left_ms: int
    function_name: str = "hurried"
    aws_request_id: str = "one request"

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


SHORT: Final = Hurried(900)


def _trigger(service: str, kind: str) -> None:
    Package("services", service).handler("trigger")(sample("stream", kind), SHORT)


class _Counting(Hurried):
    """An invocation that has another time left each time that somebody looks."""

    def __init__(self, left: Iterator[int]) -> None:
        super().__init__(0)
        self._left = left

    def get_remaining_time_in_millis(self) -> int:
        return next(self._left, 0)


def test_no_handler_begins_a_request_when_time_is_short(loop: Loop, log_lines: LogLines) -> None:
    report = body_of(fact("state-reported"))
    with Wire() as wire:
        for listener in (Package("views", "state_log"), Package("services", "dispatch")):
            failures = listener.handler("listener")(sqs_event([report]), SHORT)["batchItemFailures"]
            assert len(failures) == 1
            assert log_lines[-1]["errors"] == ["BegunTooLate"]

        for service, kind in (("equipment", "equipment-created"), ("dispatch", "operator-assigned")):
            with pytest.raises(NotPublished, match="BegunTooLate"):
                _trigger(service, kind)

        left = iter([SHORT.left_ms, *[MARGIN_MS] * 3])
        Package("services", "dispatch").handler("sweep")({}, _Counting(left))
        assert log_lines[-1]["errors"] == ["BegunTooLate"]

        event = http_event("GET /equipment/{id}", path={"id": "d"})
        answer = Package("services", "equipment").handler("query")(event, SHORT)
        assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "5")

    assert [request.answer for request in wire.requests if request.answer] == []
    assert loop.rows("STATE_LOG_TABLE") == []
    assert loop.new_messages() == []
    assert Package("services", "equipment").handler("query")(event, LocalContext("query"))["statusCode"] == 404


def test_a_client_waits_for_no_attempt_longer_than_two_seconds_and_gets_a_503_with_a_body(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = []

    def silent(*_: object, **__: object) -> None:
        times.append(time_of_attempt_ms())
        raise CallFailed(SILENT)

    monkeypatch.setattr("andon.dynamodb.client._call", silent)
    answer = loop.request("GET /equipment/{id}", path={"id": "press-7"})

    assert times == [2_000]
    assert (answer.status, answer.body["status"], answer.headers["retry-after"]) == (503, 503, "5")

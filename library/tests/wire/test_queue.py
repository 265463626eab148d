"""Addresses of queues, and messages that they refuse."""

import pytest

from andon.runtime.errors import CallFailed
from andon.wire import aws
from andon.wire.queue import RECOMPUTE, beside, name_of, send_all


def test_messages_a_queue_refuses_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "call", lambda *_, **__: {"Failed": [{"Code": "no"}]})

    with pytest.raises(CallFailed, match="no"):
        send_all("queue", ["body"])


def test_a_queue_is_found_beside_the_own_one_of_any_deployment() -> None:
    own = f"https://sqs.eu-west-1.amazonaws.com/1/Andon-prod-{name_of('replays')}"

    assert beside(own, name_of("state_log")) == "https://sqs.eu-west-1.amazonaws.com/1/Andon-prod-state_log-Queue"
    assert (
        beside(own, name_of("board", RECOMPUTE)) == "https://sqs.eu-west-1.amazonaws.com/1/Andon-prod-board-Recompute"
    )

"""The requests of one batch, under way together."""

import threading

import pytest

from andon.events.publish import Published, publish
from andon.testing.either_wire import connected
from andon.testing.scripted_server import ReceivedRequest, ScriptedAnswer, ScriptedServer, whole
from andon.tools.stack.processes import PATIENCE_S
from andon.wire import aws
from toys.things import happened


def test_the_requests_of_a_batch_go_to_the_bus_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUS_NAME", "bus")
    all_are_there = threading.Barrier(3)

    def take(asked: ReceivedRequest) -> ScriptedAnswer:
        all_are_there.wait(timeout=PATIENCE_S)
        return ScriptedAnswer(
            whole({"FailedEntryCount": 0, "Entries": [{"EventId": "1"} for _ in asked.json["Entries"]]})
        )

    with ScriptedServer(take) as server, connected(aws.LIBCURL, server.url):
        done = publish([happened("painted", f"thing {number}") for number in range(23)], source="workshop")

    assert done == Published(23, 0)
    assert sorted(len(asked.json["Entries"]) for asked in server.requests) == [3, 10, 10]

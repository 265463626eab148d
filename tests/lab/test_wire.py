"""Those who are compared do the same: as many requests, about the same rows and events."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from andon.events.group import details_in
from andon.rules.timing import READ_SHARDS
from andon.runtime import clock
from lab import npm
from lab.figure import COLUMNS, OURS
from lab.wire import ALONE, STREAM_WITHOUT_AWS, WIRES, WITHOUT_AWS, Client, Died, Server
from lab.workload import EVENTS, stored, workload


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    now_ms, file = clock.now_ms(), tmp_path_factory.mktemp("lab") / "workload.json"
    file.write_text(json.dumps(workload(now_ms)))
    with Server() as server:
        server.store(stored(now_ms))
        yield server, file


@pytest.fixture(scope="module")
def andon(running: tuple[Server, Path]) -> Iterator[Client]:
    server, file = running
    with _client(OURS, file, server) as client:
        yield client


@pytest.fixture(scope="module", params=[OURS, ALONE, *COLUMNS])
def client(request: pytest.FixtureRequest, running: tuple[Server, Path]) -> Iterator[Client]:
    server, file = running
    with ExitStack() as open_client:
        yield open_client.enter_context(_client(request.param, file, server))


def _client(name: str, file: Path, server: Server) -> Client:
    try:
        return Client(name, file, server.endpoint)
    except npm.NotInstalled as error:
        pytest.skip(str(error))


def test_each_event_is_one_update_of_the_row_that_the_view_has_of_it(
    client: Client, running: tuple[Server, Path]
) -> None:
    server, file = running
    events = {f"d#{number}" for number in range(EVENTS)}
    server.calls()

    cpu_us = client.cpu_us("listener", 10)

    calls = server.calls()
    update = calls["last"]["UpdateItem"]
    state = json.loads(json.loads(file.read_text())["messages"][-1])["detail"]["state"]
    assert cpu_us > 0
    assert calls["counts"] == {"UpdateItem": EVENTS}
    assert update["Key"]["DeviceID"]["S"] in events
    assert update["Key"]["State#Date"]["S"].partition("#")[0] == state["state"]
    assert set(update["ExpressionAttributeNames"].values()) >= {"State", "Date", "Detail", "ttl"}
    assert {"S": state["detail"]} in update["ExpressionAttributeValues"].values()
    assert "<" in update["ConditionExpression"]


def test_one_request_has_ten_events_or_the_groups_of_all(client: Client, running: tuple[Server, Path]) -> None:
    server, _ = running
    server.calls()

    client.cpu_us("trigger", 100)

    calls = server.calls()
    entries = calls["last"]["PutEvents"]["Entries"]
    facts = [fact for entry in entries for fact in details_in(entry["Detail"])]
    event = json.loads(facts[0])
    assert len(facts) == (EVENTS if client.name in WIRES else 10)
    assert calls["counts"] == {"PutEvents": EVENTS / len(facts)}
    assert {entry["DetailType"] for entry in entries} == {"state-reported"}
    assert event["state"].keys() == {"equipmentId", "state", "timestamp", "detail"}
    assert event["raw"]["new"]["discriminator"] == "state"


@pytest.mark.parametrize(
    ("work", "counts"),
    [
        ("put state", {"PutItem": EVENTS}),
        ("get logs", {"Query": EVENTS}),
        ("sweep", {"Query": READ_SHARDS + 3 * EVENTS, "PutItem": EVENTS, "DeleteItem": EVENTS}),
    ],
)
def test_every_request_and_due_row_is_worked_through(
    andon: Client, running: tuple[Server, Path], work: str, counts: dict[str, int]
) -> None:
    server, _ = running
    server.calls()

    andon.cpu_us(work, 1)

    assert server.calls()["counts"] == counts


@pytest.mark.parametrize("name", [WITHOUT_AWS, STREAM_WITHOUT_AWS])
def test_without_aws_nothing_is_sent(running: tuple[Server, Path], name: str) -> None:
    server, file = running
    server.calls()

    with _client(name, file, server) as client:
        cpu_us = client.cpu_us("listener", 10)

    assert cpu_us > 0
    assert server.calls()["counts"] == {}


def test_a_client_that_dies_is_no_figure(running: tuple[Server, Path]) -> None:
    server, file = running

    with Client(OURS, file, server.endpoint, AWS_WIRE="none") as client, pytest.raises(Died):
        client.cpu_us("listener", 10)

"""Connections that end: in the middle of a response, at every byte of it, or idle, as in a Lambda that was frozen."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import pytest

from andon.dynamodb.client import Put, Table, transact
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Keys
from andon.events.publish import publish
from andon.testing.either_wire import connected
from andon.testing.scripted_server import SILENCE, ReceivedRequest, ScriptedAnswer, ScriptedServer, refused, whole
from andon.wire import aws, aws_json, curl, deadline, retries
from andon.wire.credentials import Credentials
from andon.wire.in_parallel import in_parallel
from toys.things import happened

THINGS: Final = Table("THINGS_TABLE", Keys("pk", one_partition_per="entity"))
NEWER: Final = Condition("attribute_not_exists(#oplock) OR #oplock < :oplock", {"oplock": "o"}, {"oplock": 7})
HELD: Final = {"pk": {"S": "工"}, "o": {"N": "9"}, "n": {"N": "9" * 38}}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "AFTER_FAILURE", retries.Again(0.001, 14))
    monkeypatch.setenv("THINGS_TABLE", "things")
    monkeypatch.setenv("BUS_NAME", "bus")


@dataclass(slots=True)
class State:
    """A server's state: a row under an inverse oplock, transactions by token, entries by the id of their event."""

    oplock: int = 0
    writes: int = 0
    transactions: set[str] = field(default_factory=set)
    events: list[str] = field(default_factory=list)

    def answer(self, asked: ReceivedRequest) -> bytes:
        """Do what is asked for, and return the whole response."""
        request = asked.json
        match asked.operation:
            case "UpdateItem":
                return self._update(int(request["ExpressionAttributeValues"][":oplock"]["N"]))
            case "TransactWriteItems":
                self.transactions.add(request["ClientRequestToken"])
            case "PutEvents":
                self.events += [json.loads(entry["Detail"])["id"] for entry in request["Entries"]]
                return whole({"FailedEntryCount": 0, "Entries": [{"EventId": "e"}] * len(request["Entries"])})
        return whole()

    def _update(self, oplock: int) -> bytes:
        if oplock <= self.oplock:
            row = {**HELD, "o": {"N": str(self.oplock)}}
            return refused("com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", Item=row)
        self.oplock, self.writes = oplock, self.writes + 1
        return whole()


@dataclass(slots=True)
class Cutting:
    """Cuts the first response after so many bytes; the others are whole."""

    state: State
    at: int
    reset: bool
    first: bytes = b""

    def __call__(self, asked: ReceivedRequest) -> ScriptedAnswer:
        content = self.state.answer(asked)
        if self.first:
            return ScriptedAnswer(content)
        self.first = content
        return ScriptedAnswer(content[: self.at], closed=not self.reset, reset=self.reset)

    @property
    def was_cut(self) -> bool:
        return self.at < len(self.first)


def update() -> object:
    """Write under the inverse oplock, as a view does: one's own write is a duplicate, not an error."""
    try:
        THINGS.update({"pk": "工"}, assign={"o": 7}, condition=NEWER)
    except ConditionFailed as failed:
        return failed.row and failed.row["o"]
    return 7


def write_twice() -> None:
    transact({"one": Put(THINGS, {"pk": "a"}, THINGS.absent), "two": Put(THINGS, {"pk": "b"}, THINGS.absent)})


def publish_one() -> object:
    return publish([happened("painted", "工")], source="things").published


KINDS: Final[dict[str, tuple[Callable[[], object], Callable[[], State]]]] = {
    "UpdateItem 200": (update, State),
    "UpdateItem 400": (update, partial(State, oplock=9)),
    "TransactWriteItems 200": (write_twice, State),
    "PutEvents 200": (publish_one, State),
}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda _: ScriptedAnswer(whole())) as server, connected(aws.LIBCURL, server.url):
        yield server


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_response_cut_at_any_byte_loses_or_doubles_none(kind: str, *, reset: bool, server: ScriptedServer) -> None:
    do, new_state = KINDS[kind]
    uncut = State(**_members(new_state()))
    server.script = lambda asked: ScriptedAnswer(uncut.answer(asked))
    wanted, at, was_cut = do(), 0, True

    while was_cut:
        cutting = Cutting(new_state(), at, reset)
        server.script, server.requests[:] = cutting, []

        assert (do(), at) == (wanted, at)
        assert (cutting.state.oplock, cutting.state.writes) == (uncut.oplock, uncut.writes)
        assert len(cutting.state.transactions) == len(uncut.transactions)
        assert set(cutting.state.events) == set(uncut.events)
        assert len(server.requests) == (2 if cutting.was_cut else 1)
        at, was_cut = at + 1, cutting.was_cut

    assert at > 100  # each byte of headers and body


def _members(state: State) -> dict[str, Any]:
    return {"oplock": state.oplock, "writes": state.writes}


def get(number: int = 0) -> object:
    return aws.call("dynamodb", "get_item", TableName="things", Key={"pk": {"S": str(number)}})


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("many", [1, 10], ids=["request", "batch"])
def test_after_an_hour_on_ice_the_first_one_succeeds(
    *, reset: bool, many: int, server: ScriptedServer, pauses: list[float]
) -> None:
    for _ in range(20):
        in_parallel([partial(get, number) for number in range(many)])
        server.end_connections(reset=reset)

    in_parallel([partial(get, number) for number in range(many)])

    assert len(server.requests) == 21 * many
    assert many > 1 or (server.connections, pauses) == (21, [])


def test_a_connection_that_has_silently_died_costs_one_attempt(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    aws.forget()
    get()
    monkeypatch.setattr(deadline, "ATTEMPT_MS", 1_000)  # enough for the attempt behind it, on a busy machine
    server.script = lambda asked: SILENCE if asked.connection == 0 else ScriptedAnswer(whole())

    get()

    assert (server.connections, len(pauses)) == (2, 1)


def test_connections_are_kept_between_requests(server: ScriptedServer) -> None:
    for _ in range(20):
        get()
    assert server.connections == 1

    for _ in range(20):
        in_parallel([partial(get, number) for number in range(10)])
    assert server.connections <= 1 + 10


def test_a_connection_that_was_idle_for_too_long_is_not_used_again(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert curl.IDLE_SECONDS == 30
    monkeypatch.setattr(curl, "IDLE_SECONDS", 1)
    curl.CONNECTIONS.forget()
    get()
    get()
    assert server.connections == 1

    time.sleep(2.1)  # libcurl counts in whole seconds
    get()

    assert server.connections == 2


def test_a_connection_that_is_used_again_sends_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(lambda _: ScriptedAnswer(whole())) as server, connected(aws.LIBCURL, server.url):
        first = THINGS.get({"pk": "a"})
        THINGS.put({"pk": "a"}, condition=NEWER)
        refreshed = Credentials("REFRESHED", "secret", "token")
        monkeypatch.setattr(aws_json, "credentials", lambda: refreshed)
        THINGS.put({"pk": "a"}, condition=NEWER)

    assert first is None
    assert {asked.connection for asked in server.requests} == {0}
    assert [asked.operation for asked in server.requests] == ["GetItem", "PutItem", "PutItem"]
    signed = ["Credential=REFRESHED/" in asked.headers["authorization"] for asked in server.requests]
    assert signed == [False, False, True]
    assert [asked.headers.get("x-amz-security-token") for asked in server.requests][2] == "token"

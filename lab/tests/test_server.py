import asyncio
import json
from zlib import crc32

import pytest

from lab.server import InstantAws, ServerConnection

ROW = {"pk": {"S": "d#1"}, "Detail": {"S": "hot"}}


class Sent(asyncio.Transport):
    """Collects what a connection writes."""

    def __init__(self) -> None:
        super().__init__()
        self.responses: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.responses.append(bytes(data))


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def connection(sent: Sent) -> ServerConnection:
    connection = ServerConnection(InstantAws())
    connection.connection_made(sent)
    return connection


def request(target: str, body: object) -> bytes:
    text = json.dumps(body).encode()
    head = f"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: {target}\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


def control(method: str, body: object = None) -> bytes:
    text = b"" if body is None else json.dumps(body).encode()
    return f"{method} /control HTTP/1.1\r\ncontent-length: {len(text)}\r\n\r\n".encode() + text


def body_of(response: bytes) -> dict[str, object]:
    head, _, body = response.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert f"x-amz-crc32: {crc32(body)}".encode() in head
    found: dict[str, object] = json.loads(body)
    return found


UPDATE = request("DynamoDB_20120810.UpdateItem", {"ConditionExpression": "#oplock < :oplock"})
PUT_EVENTS = request("AWSEvents.PutEvents", {"Entries": [{}, {}, {}]})


def test_requests_are_counted_by_operation_until_somebody_asks(connection: ServerConnection, sent: Sent) -> None:
    connection.data_received(UPDATE + UPDATE + PUT_EVENTS)
    connection.data_received(control("GET"))
    connection.data_received(control("GET"))

    *_, first, second = map(body_of, sent.responses)
    assert first["counts"] == {"UpdateItem": 2, "PutEvents": 1}
    assert first["last"] == {
        "UpdateItem": {"ConditionExpression": "#oplock < :oplock"},
        "PutEvents": {"Entries": [{}] * 3},
    }
    assert second["counts"] == {}


def test_a_request_may_come_byte_by_byte(connection: ServerConnection, sent: Sent) -> None:
    for number in range(len(PUT_EVENTS)):
        assert not sent.responses
        connection.data_received(PUT_EVENTS[number : number + 1])

    (response,) = map(body_of, sent.responses)
    assert response["FailedEntryCount"] == 0
    assert len(list(response["Entries"])) == 3  # type: ignore[call-overload]


def test_reads_find_what_was_stored_and_updates_fail_that_are_refused(connection: ServerConnection, sent: Sent) -> None:
    query = request("DynamoDB_20120810.Query", {"ExpressionAttributeValues": {":p": {"S": "d#1"}}})
    get = request("DynamoDB_20120810.GetItem", {"Key": {"pk": {"S": "d#2"}, "sk": {"S": "x"}}})

    connection.data_received(query + UPDATE)
    connection.data_received(control("PUT", {"partitions": {"d#1": [ROW]}, "refusal": {"when": "#oplock", "row": ROW}}))
    connection.data_received(query + UPDATE + get)

    found_before, updated, _, found, refused, absent = map(body_of, sent.responses)
    assert (found_before["Items"], updated) == ([], {})
    assert (found["Items"], found["Count"]) == ([ROW], 1)
    assert refused["Item"] == ROW
    assert sent.responses[4].startswith(b"HTTP/1.1 400 ")
    assert absent == {}

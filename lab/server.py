"""AWS on this machine that responds at once: DynamoDB and EventBridge with canned responses, counted by operation.

It runs in a process of its own, so that its CPU is not measured. It keeps no rows: a read finds what was put into
`Stored`, and a write succeeds unless `Stored` refuses it. `/control` is for whoever measures:

| request | does |
|---|---|
| `GET /control` | returns `CallCounts`, and begins to count anew |
| `PUT /control` | replaces `Stored` |
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NotRequired, TypedDict
from zlib import crc32

HOST: Final = "127.0.0.1"
END_OF_HEAD: Final = b"\r\n\r\n"
CONTROL: Final = " /control "

NOTHING: Final[dict[str, Any]] = {}
CONDITION_FAILED: Final = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"


class Refusal(TypedDict):
    """Updates whose condition contains `when` fail; `row` is the one in their way, with type descriptors."""

    when: str
    row: dict[str, Any]


class Stored(TypedDict):
    """The rows that reads find, by partition, with type descriptors; and the updates that fail."""

    partitions: dict[str, list[dict[str, Any]]]
    refusal: NotRequired[Refusal]


class CallCounts(TypedDict):
    """The count of each operation's calls, and the body of its last request."""

    counts: dict[str, int]
    last: dict[str, Any]


class InstantAws:
    """The responses, and what was called."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._last: dict[str, bytes] = {}
        self._stored: Stored = {"partitions": {}}
        self._kept: dict[Hashable, bytes] = {}
        self._finders: dict[str, Callable[[dict[str, Any]], bytes]] = {
            "Query": self._query,
            "GetItem": self._get,
            "BatchGetItem": lambda _: self._keep("BatchGetItem", {"Responses": {}, "UnprocessedKeys": {}}),
            "UpdateItem": self._update,
            "PutEvents": self._put_events,
        }

    def respond(self, head: str, body: bytes) -> bytes:
        """Return the whole HTTP response to a request."""
        if CONTROL in head.partition("\r\n")[0]:
            return self._control(head, body)
        operation = _operation_in(head)
        self._counts[operation] += 1
        self._last[operation] = body
        find = self._finders.get(operation)
        return find(json.loads(body)) if find else self._keep(operation, NOTHING)

    def _control(self, head: str, body: bytes) -> bytes:
        if head.startswith("PUT"):
            self._stored = json.loads(body)
            self._kept.clear()
            return _response(NOTHING)
        calls: CallCounts = {
            "counts": self._counts,
            "last": {name: json.loads(last) for name, last in self._last.items()},
        }
        self._counts, self._last = Counter(), {}
        return _response(calls)

    def _query(self, request: dict[str, Any]) -> bytes:
        partition = request["ExpressionAttributeValues"][":p"]["S"]
        items = self._stored["partitions"].get(partition, [])
        return self._keep(("Query", partition), {"Items": items, "Count": len(items), "ScannedCount": len(items)})

    def _get(self, request: dict[str, Any]) -> bytes:
        partition = next(iter(request["Key"].values()))["S"]
        items = self._stored["partitions"].get(partition)
        return self._keep(("GetItem", partition), {"Item": items[0]} if items else NOTHING)

    def _update(self, request: dict[str, Any]) -> bytes:
        refusal = self._stored.get("refusal")
        if refusal and refusal["when"] in request["ConditionExpression"]:
            return _response({"__type": CONDITION_FAILED, "Item": refusal["row"]}, "400 Bad Request")
        return self._keep("UpdateItem", NOTHING)

    def _put_events(self, request: dict[str, Any]) -> bytes:
        results = [{"EventId": f"{number:036x}"} for number, _ in enumerate(request["Entries"])]
        return self._keep(("PutEvents", len(results)), {"FailedEntryCount": 0, "Entries": results})

    def _keep(self, key: Hashable, content: dict[str, Any]) -> bytes:
        if key not in self._kept:
            self._kept[key] = _response(content)
        return self._kept[key]


class ServerConnection(asyncio.Protocol):
    """One connection, kept alive until the client closes it."""

    def __init__(self, aws: InstantAws) -> None:
        self._aws = aws
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where to write."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Respond to every request that is complete."""
        self._received += data
        while END_OF_HEAD in self._received and self._transport is not None:
            raw, _, rest = self._received.partition(END_OF_HEAD)
            head = raw.decode("latin-1")
            length = int(_header_in(head, "content-length") or 0)
            if len(rest) < length:
                return
            self._received = rest[length:]
            self._transport.write(self._aws.respond(head, rest[:length]))


def _operation_in(head: str) -> str:
    """Return the operation of `DynamoDB_20120810.UpdateItem` or `AWSEvents.PutEvents`."""
    return _header_in(head, "x-amz-target").rpartition(".")[2]


def _header_in(head: str, name: str) -> str:
    start = head.lower().find(f"\r\n{name}:")
    return head[start:].strip().partition("\r\n")[0].partition(":")[2].strip() if start >= 0 else ""


def _response(content: Mapping[str, Any], status: str = "200 OK") -> bytes:
    body = json.dumps(content).encode()
    head = (
        f"HTTP/1.1 {status}",
        "content-type: application/x-amz-json-1.0",
        f"x-amzn-requestid: {'A' * 52}",
        f"x-amz-crc32: {crc32(body)}",
        f"content-length: {len(body)}",
    )
    return "\r\n".join(head).encode() + END_OF_HEAD + body


async def serve() -> None:
    """Print the port, and serve until standard input ends: so it never outlives whoever started it."""
    loop, aws = asyncio.get_running_loop(), InstantAws()
    server = await loop.create_server(lambda: ServerConnection(aws), HOST, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())

"""Stand-in for hosts of others on one machine: it takes posts to webhooks and push services, in the emulator's process.

A sender's request to `https://<host><path>` comes as `POST /_andon/sink/<host><path>`, see
`andon/outbound/provider.py`. `GET /_andon/sink` returns what came, the oldest first, as it was sent, each with a
number. The front lets nobody through to either.
"""

import base64
import json
import logging
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from itertools import count
from typing import Any, Final

# A short way into the emulator for DynamoDB and the bus, where most requests of the Lambdas go.
#
# For each request the emulator finds out, by host, path and headers, which of some hundred services it is for. For
# these two the target says it, and the signature says whose account it is. A request in any other form goes the long
# way, above all one to another path: the API's are behind `/_aws/`, and whoever calls it may name a target, too.

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Handler = Callable[
    [str, str, dict[str, str], bytes, dict[str, Any]], Awaitable[tuple[int, Mapping[str, str], str | bytes]]
]
"""A service of the emulator: method, path, headers, body and query of a request -> status, headers and body."""

TARGET: Final = b"x-amz-target"
SIGNATURE: Final = re.compile(rb"AWS4-HMAC-SHA256 Credential=([^/]+)/[0-9]{8}/([^/]+)/")
ENCODED: Final = frozenset({b"content-encoding", b"transfer-encoding"})


class Shortcut:
    """The emulator, with a short way to some of its services.

    services: how the targets of one begin (`DynamoDB_20120810`) -> what answers them. enter: an access key and a region
    -> what runs from then on belongs to that account and region.
    """

    def __init__(
        self, emulator: Application, *, services: Mapping[bytes, Handler], enter: Callable[[str, str], None]
    ) -> None:
        self._emulator, self._services, self._enter = emulator, services, enter

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application."""
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        target = headers.get(TARGET, b"") if scope.get("path") == "/" else b""
        service = self._services.get(target.partition(b".")[0])
        signed = SIGNATURE.match(headers.get(b"authorization", b""))
        if service is None or signed is None or not headers.keys().isdisjoint(ENCODED):
            await self._emulator(scope, receive, send)
            return
        self._enter(*(part.decode("latin-1") for part in signed.groups()))
        body = await _body(receive)
        if body is not None:
            await _answer(send, *await _handled(service, target.decode("latin-1"), body))


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request; None: the client is gone."""
    chunks, is_more = list[bytes](), True
    while is_more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunks.append(message.get("body", b""))
        is_more = message.get("more_body", False)
    return b"".join(chunks)


async def _handled(service: Handler, target: str, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
    try:
        status, headers, answer = await service("POST", "/", {TARGET.decode(): target}, body, {})
    except Exception as error:  # as the emulator answers what fails
        logging.getLogger("ministack").exception("Error handling %s", target)
        failure = {"__type": "InternalError", "message": str(error)}
        return 500, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(failure).encode()
    return status, headers, answer.encode() if isinstance(answer, str) else answer


async def _answer(send: Send, status: int, headers: Mapping[str, str], body: bytes) -> None:
    lines = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    lines.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


PATH: Final = "/_andon/sink"
MOST: Final = 1_000
"""So many messages are kept, the newest ones."""

CREATED: Final = 201
OK: Final = 200


class Sink:
    """The emulator, and the sink beside it."""

    def __init__(self, emulator: Application) -> None:
        self._emulator = emulator
        self._kept: deque[dict[str, Any]] = deque(maxlen=MOST)
        self._ids = count(1)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application."""
        path: str = scope.get("path", "")
        if scope["type"] != "http" or not (path == PATH or path.startswith(f"{PATH}/")):
            await self._emulator(scope, receive, send)
        elif scope["method"] == "POST":
            body = await _whole_body(receive)
            self._kept.append({"id": next(self._ids), **_message(scope, path, body)})
            await answer(send, CREATED, {})
        else:
            await answer(send, OK, {"messages": [*self._kept]})


def _message(scope: Message, path: str, body: bytes) -> dict[str, Any]:
    """Return a message as it came. at: epoch milliseconds; body: base64."""
    query = scope.get("query_string", b"").decode("latin-1")
    address = f"https://{path.removeprefix(f'{PATH}/')}"
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return {
        "at": time.time_ns() // 1_000_000,
        "address": f"{address}?{query}" if query else address,
        "headers": headers,
        "body": base64.b64encode(body).decode(),
    }


async def _whole_body(receive: Receive) -> bytes:
    chunks, is_more = list[bytes](), True
    while is_more:
        message = await receive()
        chunks.append(message.get("body", b""))
        is_more = message.get("more_body", False)
    return b"".join(chunks)


async def answer(send: Send, status: int, content: dict[str, Any]) -> None:
    """Answer a request with JSON."""
    body = json.dumps(content).encode()
    lines = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})

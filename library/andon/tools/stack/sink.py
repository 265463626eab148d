"""Stand-in for hosts of others on one machine: it takes posts to webhooks and push services, in the emulator's process.

A sender's request to `https://<host><path>` comes as `POST /_andon/sink/<host><path>`, see
`andon/outbound/provider.py`. `GET /_andon/sink` returns what came, the oldest first, as it was sent, each with a
number. The front lets nobody through to either.
"""

import base64
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from itertools import count
from typing import Any, Final

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

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

"""What would go to hosts of others is taken on this machine, as it was sent; all else goes on to the emulator."""

import asyncio
import base64
import json
from typing import Any

from andon.tools.stack.sink import MOST, PATH, Message, Receive, Send, Sink


async def emulator(_scope: Message, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 418, "headers": []})


def request(sink: Sink, method: str, path: str, *, query: bytes = b"", body: bytes = b"") -> tuple[int, Any]:
    """Return the status and the content of a response; a body comes in two parts."""
    said: list[Message] = []
    parts = [
        {"type": "http.request", "body": body[:3], "more_body": True},
        {"type": "http.request", "body": body[3:], "more_body": False},
    ]

    async def receive() -> Message:
        return parts.pop(0)

    async def send(message: Message) -> None:
        said.append(message)

    headers = [(b"topic", b"t-1")]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": headers}
    asyncio.run(sink(scope, receive, send))
    content = json.loads(said[1]["body"]) if len(said) > 1 else None
    return said[0]["status"], content


def test_what_was_sent_can_be_read_as_it_was_sent() -> None:
    sink = Sink(emulator)

    assert request(sink, "POST", f"{PATH}/hooks.example.com/a/b", query=b"k=1", body=b"\x00text") == (201, {})
    status, content = request(sink, "GET", PATH)

    [one] = content["messages"]
    assert status == 200
    assert one["address"] == "https://hooks.example.com/a/b?k=1"
    assert one["id"] == 1
    assert one["headers"] == {"topic": "t-1"}
    assert base64.b64decode(one["body"]) == b"\x00text"


def test_all_else_goes_on_to_the_emulator() -> None:
    sink = Sink(emulator)

    for path in ("/", f"{PATH}s/hooks.example.com", "/hooks.example.com"):
        assert request(sink, "POST", path)[0] == 418


def test_only_the_newest_messages_are_kept() -> None:
    sink = Sink(emulator)
    for number in range(MOST + 1):
        request(sink, "POST", f"{PATH}/hooks.example.com/{number}")

    messages = request(sink, "GET", PATH)[1]["messages"]
    assert (len(messages), messages[0]["address"]) == (MOST, "https://hooks.example.com/1")

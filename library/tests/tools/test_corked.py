import asyncio
from typing import Any

import pytest

from andon.tools.stack.corked import Corked, in_one_piece


class WrittenPieces:
    """What is written, piece by piece."""

    def __init__(self) -> None:
        self.pieces, self.is_closed = list[bytes](), False

    def write(self, data: bytes) -> None:
        assert not self.is_closed
        self.pieces.append(data)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


class TwoPieceCycle:
    """Writes head and body apart, as uvicorn does; `closes`: after the body, as for a client that asks for it."""

    def __init__(self, transport: Any, *, closes: bool) -> None:  # noqa: ANN401  a connection
        self.transport, self._closes = transport, closes

    async def send(self, message: dict[str, Any]) -> None:
        self.transport.write(message["bytes"])
        if self._closes and message["type"] == "http.response.body":
            self.transport.close()


HEAD = {"type": "http.response.start", "bytes": b"head "}
BODIES = [{"type": "http.response.body", "bytes": text} for text in (b"body", b"more")]


@pytest.mark.parametrize("closes", [False, True])
def test_head_and_body_are_one_piece_even_if_the_connection_is_closed_then(closes: bool) -> None:  # noqa: FBT001
    connection = WrittenPieces()
    cycle = in_one_piece(TwoPieceCycle)(connection, closes=closes)

    asyncio.run(cycle.send(HEAD))
    assert connection.pieces == []
    asyncio.run(cycle.send(BODIES[0]))

    assert connection.pieces == [b"head body"]
    assert cycle.transport.is_closing() is closes


def test_what_is_not_of_an_answer_and_what_follows_goes_at_once() -> None:
    connection = WrittenPieces()
    cycle = in_one_piece(TwoPieceCycle)(connection, closes=False)
    cycle.transport.write(b"100 Continue ")

    for message in (HEAD, *BODIES):
        asyncio.run(cycle.send(message))

    assert connection.pieces == [b"100 Continue ", b"head body", b"more"]


def test_a_head_without_a_body_is_written_when_the_connection_is_closed() -> None:
    connection = WrittenPieces()
    corked = Corked(connection)
    corked.cork()
    corked.write(b"head")

    corked.close()

    assert (connection.pieces, connection.is_closed) == ([b"head"], True)

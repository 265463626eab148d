"""Answers of the emulator that go out whole: its server writes the head, then the body.

Whoever asked wakes up twice for it, and reads twice: a system call more on each side of each request.
"""

from collections.abc import MutableMapping
from typing import Any

Message = MutableMapping[str, Any]


class Corked:
    """A connection that keeps what is written to it while it is corked."""

    def __init__(self, transport: Any) -> None:  # noqa: ANN401  asyncio's or uvloop's
        self._transport, self._kept, self._is_corked = transport, list[bytes](), False

    def cork(self) -> None:
        """Keep what is written from here on."""
        self._is_corked = True

    def uncork(self) -> None:
        """Write what was kept, in one piece."""
        self._is_corked = False
        if self._kept:
            self._transport.write(b"".join(self._kept))
            self._kept.clear()

    def write(self, data: bytes) -> None:
        """Write it, or keep it."""
        if self._is_corked:
            self._kept.append(data)
        else:
            self._transport.write(data)

    def is_closing(self) -> bool:
        """Return True if it is closed, or about to be."""
        return bool(self._transport.is_closing())

    def close(self) -> None:
        """Write what was kept, and close it."""
        self.uncork()
        self._transport.close()


def in_one_piece(cycle: type[Any]) -> type[Any]:
    """Return uvicorn's class of one request and its response, whose head waits for the first of the body."""

    class OnePieceCycle(cycle):  # type: ignore[misc]
        transport: Any

        def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  uvicorn's
            super().__init__(*given, **named)
            self.transport = Corked(self.transport)

        async def send(self, message: Message) -> None:
            """Send a part of the response."""
            if message["type"] == "http.response.start":
                self.transport.cork()
                await super().send(message)
            else:
                await super().send(message)
                self.transport.uncork()

    return OnePieceCycle

"""A faster HTTP server for the emulator, in place of Hypercorn: Uvicorn, whose parser and event loop are written in C.

All services of AWS answer in one process, so what a request costs there bounds what the whole stack does in a second.
"""

from collections.abc import MutableMapping
from typing import Any, Final

import uvicorn  # type: ignore[import-not-found]  # in the emulator's environment, as all that follows
import uvloop  # type: ignore[import-not-found]
from uvicorn.protocols.http import httptools_impl  # type: ignore[import-not-found]

# Answers of the emulator that go out whole: its server writes the head, then the body.
#
# Whoever asked wakes up twice for it, and reads twice: a system call more on each side of each request.

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


KEEP_ALIVE_S: Final = 75  # as the emulator asks of Hypercorn
GRACE_S: Final = 1  # connections that are kept alive do not end by themselves


def use_fast_loop() -> None:
    """Let `asyncio.run`, which the emulator calls, take the faster event loop."""
    uvloop.install()


def answer_in_one_piece() -> None:
    """Let head and body of an answer go out together, see `corked.py`."""
    httptools_impl.RequestResponseCycle = in_one_piece(httptools_impl.RequestResponseCycle)


def _with_subprotocols(application: Any) -> Any:  # noqa: ANN401  ASGI applications
    """Name a WebSocket's subprotocols among its headers: the emulator looks there, and wsproto leaves them out."""

    async def named(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401  ASGI's channels
        if protocols := scope.get("subprotocols"):
            header = (b"sec-websocket-protocol", ", ".join(protocols).encode("latin-1"))
            scope = {**scope, "headers": [*scope["headers"], header]}
        await application(scope, receive, send)

    return named


async def serve(application: Any, config: Any) -> None:  # noqa: ANN401  an ASGI application, and Hypercorn's settings
    """Serve an application, as `hypercorn.asyncio.serve` does, until a signal ends it."""
    host, _, port = config.bind[0].rpartition(":")
    settings = uvicorn.Config(
        _with_subprotocols(application),
        host=host,
        port=int(port),
        http="httptools",
        ws="wsproto",
        access_log=False,
        log_config=None,
        log_level=config.loglevel.lower(),
        proxy_headers=False,
        server_header=False,
        date_header=False,  # the emulator writes it
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    await uvicorn.Server(settings).serve()

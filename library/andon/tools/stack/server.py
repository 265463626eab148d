"""A faster HTTP server for the emulator, in place of Hypercorn: Uvicorn, whose parser and event loop are written in C.

All services of AWS answer in one process, so what a request costs there bounds what the whole stack does in a second.
"""

from typing import Any, Final

import uvicorn  # type: ignore[import-not-found]  # in the emulator's environment, as all that follows
import uvloop  # type: ignore[import-not-found]
from uvicorn.protocols.http import httptools_impl  # type: ignore[import-not-found]

from andon.tools.stack.corked import in_one_piece

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

"""The emulator's process: the emulator, the front before it, and what ends them together.

Run by the emulator's interpreter as a file (`emulator_process.py PORT ROUTES [--lifeline]`), which has nothing of this
project on its path. PORT and ROUTES are the front's. With `--lifeline` it ends when whoever holds the other end of its
standard input does, however that ends.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)

# These are in the emulator's environment.
import hypercorn.asyncio  # type: ignore[import-not-found]  # noqa: E402
from ministack import app as ministack  # type: ignore[import-not-found]  # noqa: E402
from ministack.services import cognito, dynamodb, lambda_svc  # type: ignore[import-not-found]  # noqa: E402

from local.stack import foreign, live, server  # noqa: E402
from local.stack.key_conditions import faster  # noqa: E402
from local.stack.streams import Followers  # noqa: E402
from local.stack.token_groups import with_groups  # noqa: E402

FRONT: Final = ROOT / "local" / "stack" / "front.py"
FORBIDDEN: Final = 403

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


REFUSALS: Final = {"http": foreign.refusal, "websocket": live.refusal_of_origin}


def guarded(emulator: Application) -> Application:
    """Refuse pages of other sites here, too: a page can try all ports until it finds this one."""

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] in REFUSALS and REFUSALS[scope["type"]](_headers(scope)):
            await _refuse(scope, send)
        else:
            await emulator(scope, receive, send)

    return application


def _headers(scope: Message) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]


async def _refuse(scope: Message, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    await send({"type": "http.response.start", "status": FORBIDDEN, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


def _end_all() -> None:
    os.killpg(0, signal.SIGTERM)  # the Lambda workers and the front, too


def _end_with(front: subprocess.Popen[bytes]) -> None:
    front.wait()
    _end_all()


def _end_with_the_starter() -> None:
    sys.stdin.buffer.read()
    _end_all()


def main(port: str, routes: str, *flags: str) -> None:
    """Run the emulator until it is told to end."""
    # A pipe that only this process holds: its end is the front's.
    front = subprocess.Popen([sys.executable, str(FRONT), port, routes], stdin=subprocess.PIPE)
    threading.Thread(target=_end_with, args=[front], daemon=True).start()
    if "--lifeline" in flags:
        threading.Thread(target=_end_with_the_starter, daemon=True).start()
    sys.argv[1:] = []  # the emulator has arguments of its own
    server.use_fast_loop()
    ministack.app, hypercorn.asyncio.serve = guarded(ministack.app), server.serve
    followers = Followers(lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams)  # noqa: SLF001
    lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams = followers.mappings, followers.poll  # noqa: SLF001
    dynamodb._evaluate_condition = faster(dynamodb._evaluate_condition)  # noqa: SLF001  see key_conditions.py
    cognito._fake_token = with_groups(cognito._fake_token, cognito._get_pool_unscoped)  # noqa: SLF001  see token_groups.py
    ministack.main()


if __name__ == "__main__":
    main(*sys.argv[1:])

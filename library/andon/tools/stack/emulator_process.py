"""The emulator's process: the emulator, the front before it, and what ends them together.

Run by the emulator's interpreter (`-m andon.tools.stack.emulator_process PORT ROUTES [--lifeline]`), whose `PYTHONPATH`
names the library. PORT and ROUTES are the front's. With `--lifeline` it ends when whoever holds the other end of its
standard input does, however that ends.
"""

import logging
import os
import resource
import signal
import subprocess
import sys
import threading
from typing import Final

# These are in the emulator's environment.
from ministack import app as ministack  # type: ignore[import-not-found]
from ministack.core import lambda_runtime  # type: ignore[import-not-found]
from ministack.services import cloudformation, cognito, dynamodb, lambda_svc, sns  # type: ignore[import-not-found]
from ministack.services.cloudformation import provisioners  # type: ignore[import-not-found]

from andon.tools.stack import http1, live
from andon.tools.stack.broker import Broker
from andon.tools.stack.patches import Followers, Partitions, apart, faster, narrowed, remembering, timed, with_groups
from andon.tools.stack.sink import Application, Message, Receive, Send, Sink
from andon.tools.stack.unpacking import MODULE as SHARED_ZIPS
from andon.tools.stack.unpacking import open_file
from andon.tools.stack.workers import MODULE as FORKS
from andon.tools.stack.workers import drained, follow

_FRONT: Final = "andon.tools.stack.front"
# The emulator hands its environment to the Lambdas, which have a library of their own.
LIBRARY: Final = os.environ.pop("PYTHONPATH")
FORBIDDEN: Final = 403

# Each worker has four of them, each connection one; systems begin with 1,024 or 256.
_OPEN_FILES: Final = 10_240

# Of the headers of each request, which ASGI names in lower case, `foreign` and `live` look at these.
ASKED: Final = frozenset({b"host", b"origin", b"sec-fetch-site"})
_REFUSALS: Final = {"http": http1.refusal, "websocket": live.refusal_of_origin}


def guarded(emulator: Application) -> Application:
    """Refuse pages of other sites here, too: a page can try all ports until it finds this one."""

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] in _REFUSALS and _REFUSALS[scope["type"]](_headers(scope)):
            await _refuse(scope, send)
        else:
            await emulator(scope, receive, send)

    return application


def _headers(scope: Message) -> list[tuple[str, str]]:
    return [(name.decode(), value.decode("latin-1")) for name, value in scope["headers"] if name in ASKED]


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
    front = subprocess.Popen(
        [sys.executable, "-m", _FRONT, port, routes], env=os.environ | {"PYTHONPATH": LIBRARY}, stdin=subprocess.PIPE
    )
    threading.Thread(target=_end_with, args=[front], daemon=True).start()
    if "--lifeline" in flags:
        threading.Thread(target=_end_with_the_starter, daemon=True).start()
    _allow_open_files()
    sys.argv[1:] = []  # the emulator has arguments of its own
    logging.getLogger("events").setLevel(logging.WARNING)  # not a line for each event and queue
    _patch_emulator()
    ministack.main()


def _allow_open_files() -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if most == resource.RLIM_INFINITY else min(_OPEN_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(allowed, wanted), most))


def _patch_emulator() -> None:
    ministack.app = guarded(Sink(Broker(ministack.app)))
    followers = Followers(lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams)  # noqa: SLF001
    lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams = followers.mappings, followers.poll  # noqa: SLF001
    dynamodb._evaluate_condition = faster(dynamodb._evaluate_condition)  # noqa: SLF001
    dynamodb.defaultdict, dynamodb._query = Partitions, narrowed(dynamodb._query)  # noqa: SLF001
    lambda_runtime.Worker._read_stderr, lambda_runtime.Worker._drain_stderr_bounded = follow, drained  # noqa: SLF001
    lambda_runtime.zipfile, lambda_runtime.open, lambda_runtime.subprocess = SHARED_ZIPS, open_file, FORKS
    cognito._fake_token = with_groups(cognito._fake_token, cognito._get_pool_unscoped)  # noqa: SLF001
    sns._sms_log_for = timed(sns._sms_log_for)  # noqa: SLF001
    provisioners._update_resource = remembering(provisioners._update_resource, cloudformation._stacks)  # noqa: SLF001
    provisioners._provision_resource = apart(provisioners._provision_resource, provisioners._NAME_SEED)  # noqa: SLF001


if __name__ == "__main__":
    main(*sys.argv[1:])

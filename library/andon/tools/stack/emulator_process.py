"""The emulator's process: the emulator, the front before it, and what ends them together.

Run by the emulator's interpreter (`-m andon.tools.stack.emulator_process PORT ROUTES [--lifeline]`), whose `PYTHONPATH`
names the library. PORT and ROUTES are the front's. With `--lifeline` it ends when whoever holds the other end of its
standard input does, however that ends.
"""

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Final

# These are in the emulator's environment.
import hypercorn.asyncio  # type: ignore[import-not-found]
from ministack import app as ministack  # type: ignore[import-not-found]
from ministack.core import lambda_runtime, responses  # type: ignore[import-not-found]
from ministack.services import cloudformation, cognito, dynamodb, eventbridge, lambda_svc, sns  # type: ignore[import-not-found]
from ministack.services.cloudformation import provisioners  # type: ignore[import-not-found]

from andon.tools.stack import http1, live, server, workers
from andon.tools.stack.broker import Broker
from andon.tools.stack.patches import Followers, Partitions, apart, faster, narrowed, remembering, timed, with_groups
from andon.tools.stack.sink import Application, Message, Receive, Send, Shortcut, Sink
from andon.tools.stack.unpacking import MODULE as SHARED_ZIPS
from andon.tools.stack.unpacking import open_file
from andon.tools.stack.workers import MODULE as FORKS
from andon.tools.stack.workers import drained, follow, without_botocore

FRONT: Final = "andon.tools.stack.front"
# The emulator hands its environment to the Lambdas, which have a library of their own.
LIBRARY: Final = os.environ.pop("PYTHONPATH")
FORBIDDEN: Final = 403

# So many new objects until the next look for cycles, of which requests and rows have none.
OBJECTS: Final = 100_000

# Of the headers of each request, which ASGI names in lower case, `foreign` and `live` look at these.
ASKED: Final = frozenset({b"host", b"origin", b"sec-fetch-site"})
REFUSALS: Final = {"http": http1.refusal, "websocket": live.refusal_of_origin}


def guarded(emulator: Application) -> Application:
    """Refuse pages of other sites here, too: a page can try all ports until it finds this one."""

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] in REFUSALS and REFUSALS[scope["type"]](_headers(scope)):
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


def _enter(access_key: str, region: str) -> None:
    responses.set_request_account_id(access_key)
    responses.set_request_region(region)


def _begun(worker: Any) -> None:  # noqa: ANN401  the emulator's `Worker`
    """Handle a worker's output; the emulator calls this as soon as it has started its process."""
    workers.free(worker._proc.pid)  # noqa: SLF001
    follow(worker)


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
        [sys.executable, "-m", FRONT, port, routes], env=os.environ | {"PYTHONPATH": LIBRARY}, stdin=subprocess.PIPE
    )
    threading.Thread(target=_end_with, args=[front], daemon=True).start()
    if "--lifeline" in flags:
        threading.Thread(target=_end_with_the_starter, daemon=True).start()
    else:  # several that tests start at once would share it
        workers.keep_to_one()
    sys.argv[1:] = []  # the emulator has arguments of its own
    server.use_fast_loop()
    server.answer_in_one_piece()
    gc.set_threshold(OBJECTS)
    logging.getLogger("events").setLevel(logging.WARNING)  # not a line for each event and queue
    _patch_emulator()
    ministack.main()


def _patch_emulator() -> None:
    services = {b"DynamoDB_20120810": dynamodb.handle_request, b"AWSEvents": eventbridge.handle_request}
    emulator = Shortcut(ministack.app, services=services, enter=_enter)
    ministack.app, hypercorn.asyncio.serve = guarded(Sink(Broker(emulator))), server.serve
    followers = Followers(lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams)  # noqa: SLF001
    lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams = followers.mappings, followers.poll  # noqa: SLF001
    dynamodb._evaluate_condition = faster(dynamodb._evaluate_condition)  # noqa: SLF001  see key_conditions.py
    dynamodb.defaultdict, dynamodb._query = Partitions, narrowed(dynamodb._query)  # noqa: SLF001  see narrowing.py
    lambda_runtime.Worker._read_stderr, lambda_runtime.Worker._drain_stderr_bounded = _begun, drained  # noqa: SLF001
    lambda_runtime.zipfile, lambda_runtime.open, lambda_runtime.subprocess = SHARED_ZIPS, open_file, FORKS
    lambda_runtime._PYTHON_WORKER_SCRIPT = without_botocore(lambda_runtime._PYTHON_WORKER_SCRIPT)  # noqa: SLF001
    cognito._fake_token = with_groups(cognito._fake_token, cognito._get_pool_unscoped)  # noqa: SLF001  see token_groups.py
    sns._sms_log_for = timed(sns._sms_log_for)  # noqa: SLF001
    provisioners._update_resource = remembering(provisioners._update_resource, cloudformation._stacks)  # noqa: SLF001
    provisioners._provision_resource = apart(provisioners._provision_resource, provisioners._NAME_SEED)  # noqa: SLF001


if __name__ == "__main__":
    main(*sys.argv[1:])

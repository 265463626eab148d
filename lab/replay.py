"""Replays a lake in a folder into an empty view: events a second, of one process's CPU.

In process: the objects are read, their messages made, and the view's listener called with ten at a time; its table
takes every update, so that neither a queue, nor the pace, nor a network is in the figure. Beside it, over the wire to
the instant server: the same listener, and `aws-lambda-stream`'s, with the same events.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.packages.package import Package
from andon.recorded.lake import lines_of
from andon.runtime import clock
from andon.stores.replays.messages import messages_of
from andon.testing.environment import environment
from andon.testing.lambda_context import LocalContext
from andon.wire import aws
from lab import clients, npm
from lab.clients import Client, Server
from lab.figure import AWS_LAMBDA_STREAM, OURS, row
from lab.workload import batches, undisturbed

VIEW: Final = Package("views", "state_log")
# What the npm library's rule takes; ours takes whatever it is sent.
COMPARED: Final = [["equipment", "state-reported"]]
JOB: Final = "0" * 32
BATCH: Final = 10
SAMPLE: Final = 5_000
ROUNDS: Final = 5


class Replayed(NamedTuple):
    """Figures of a replay, and the rows that it left."""

    events: int
    rows: int
    requests: int
    cpu_s: float


def measure(lake: Path) -> str:
    """Replay a lake, in a process of its own; return the report."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        replayed = process.submit(replay, lake).result()
    try:
        beside = _over_the_wire(lake)
    except npm.NotInstalled as reason:
        print(f"without aws-lambda-stream: {reason}", file=sys.stderr)
        beside = {}
    return report(replayed, beside)


def replay(lake: Path) -> Replayed:
    """Replay all objects of a lake into an empty view."""
    listener, topics = VIEW.handler("listener"), sorted(VIEW.subscriptions)
    keys, requests, events = set[str](), 0, 0

    def update(*_: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        nonlocal requests
        requests += 1
        keys.add("\0".join(part["S"] for part in request["Key"].values()))
        return {}

    with environment(clients.ENVIRONMENT), undisturbed(clock.now_ms()), patch.object(aws, "call", update):
        started = time.process_time()
        for bodies in _messages(lake, topics):
            events += len(bodies)
            for batch in batches(bodies, BATCH):
                if listener(batch, LocalContext("replayed"))["batchItemFailures"]:
                    raise RuntimeError("a message was not materialized")
        cpu_s = time.process_time() - started
    return Replayed(events, len(keys), requests, cpu_s)


def report(replayed: Replayed, beside: Mapping[str, float]) -> str:
    """Write the figures among each other; beside: µs an event."""
    rate = f"{replayed.events / replayed.cpu_s:,.0f}"
    lines = [
        f"replay: {replayed.events:,} events into an empty {VIEW.name}, {replayed.rows:,} rows",
        row("from the lake to rows, in process", rate, f"events a second of CPU, {replayed.cpu_s:,.1f} s"),
        row("updates, for an event", f"{replayed.requests / replayed.events:,.2f}"),
    ]
    alone = "the listener alone, over the wire"
    return "\n".join(lines + [row(f"{alone}: {name}", f"{1e6 / cpu_us:,.0f}") for name, cpu_us in beside.items()])


def _over_the_wire(lake: Path) -> dict[str, float]:
    """Return the CPU in µs an event of either listener, with the same events, in turns."""
    messages = [*islice((body for bodies in _messages(lake, COMPARED) for body in bodies), SAMPLE)]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="andon-replay-"))
        workload = Path(folder) / "workload.json"
        workload.write_text(json.dumps({"messages": messages, "records": [], "put_state": [], "get_logs": []}))
        server = stack.enter_context(Server())
        asked = {
            name: stack.enter_context(Client(name, workload, server.endpoint)) for name in (OURS, AWS_LAMBDA_STREAM)
        }
        rounds = [{name: one.cpu_us("listener", BATCH) for name, one in asked.items()} for _ in range(ROUNDS)]
    return {name: median(one[name] for one in rounds[1:]) / len(messages) for name in asked}


def _messages(lake: Path, topics: list[Any]) -> Iterator[list[str]]:
    """Yield the messages of each object, in the order of their keys."""
    for file in sorted(lake.rglob("*.ndjson.gz")):
        yield messages_of(lines_of(file.read_bytes()), topics, JOB, now_ms=clock.now_ms()).bodies

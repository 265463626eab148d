"""Replays a lake in a folder into an empty view: events a second, of one process's CPU.

In process: the objects are read, their messages made, and the view's listener called with ten at a time; its table is a
mapping in memory, so that neither a queue, nor the pace, nor a network is in the figure. Beside it, over the wire to
the instant server: the same listener, and `aws-lambda-stream`'s, with the same events.
"""

import json
import os
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
from andon.runtime.errors import CallFailed
from andon.stores.replays.messages import messages_of
from andon.testing.lambda_context import LambdaContext
from bench import clients, npm
from bench.clients import Client, Server
from bench.instead_of_aws import InPlaceOfCall
from bench.workload import batches

VIEW: Final = Package("views", "state_log")
# What the npm library's rule takes; ours takes whatever it is sent.
COMPARED: Final = [["equipment", "state-reported"]]
JOB: Final = "0" * 32
BATCH: Final = 10
SAMPLE: Final = 5_000
ROUNDS: Final = 5
AWS_LAMBDA_STREAM: Final = "aws-lambda-stream"


class Replayed(NamedTuple):
    """Figures of a replay, and the rows that it left."""

    events: int
    rows: int
    requests: int
    cpu_s: float


class RowsInMemory(InPlaceOfCall):
    """A table that keeps of its rows what conditions look at: oplocks and the ttl."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, str]] = {}
        self.requests = 0

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Make one update of a rebuild."""
        if operation != "update_item":
            raise NotImplementedError(f"{service} {operation}")
        self.requests += 1
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        row = self.rows.setdefault("\0".join(part["S"] for part in request["Key"].values()), {})
        if not _holds(request["ConditionExpression"], row, names, values):
            raise CallFailed("ConditionalCheckFailedException", {"Item": _typed(row)})
        for place, name in names.items():
            if place.startswith("#s") and (name == "ttl" or name.startswith("oplock#")):
                ((_, row[name]),) = values[f":{place[1:]}"].items()
        return {}


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
    variables = {**clients.ENVIRONMENT, "AWS_WIRE": "libcurl"}
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, variables))
        stack.enter_context(patch.object(sys, "stdout", stack.enter_context(Path(os.devnull).open("w"))))
        table = stack.enter_context(RowsInMemory())
        started, events = time.process_time(), 0
        for bodies in _messages(lake, topics):
            events += len(bodies)
            for batch in batches(bodies, BATCH):
                if listener(batch, LambdaContext("replayed"))["batchItemFailures"]:
                    raise RuntimeError("a message was not materialized")
        cpu_s = time.process_time() - started
    return Replayed(events, len(table.rows), table.requests, cpu_s)


def report(replayed: Replayed, beside: Mapping[str, float]) -> str:
    """Write the figures among each other."""
    rate = replayed.events / replayed.cpu_s
    lines = [
        f"replay: {replayed.events:,} events into an empty {VIEW.name}, {replayed.rows:,} rows",
        f"{'from the lake to rows, in process':<54} {rate:>9,.0f} events a second of CPU, {replayed.cpu_s:,.1f} s",
        f"{'updates, for an event':<54} {replayed.requests / replayed.events:>9,.2f}",
    ]
    lines += [
        f"{f'the listener alone, over the wire: {name}':<54} {1e6 / cpu_us:>9,.0f}" for name, cpu_us in beside.items()
    ]
    return "\n".join(lines)


def _over_the_wire(lake: Path) -> dict[str, float]:
    """Return the CPU in µs an event of either listener, with the same events, in turns."""
    messages = [*islice((body for bodies in _messages(lake, COMPARED) for body in bodies), SAMPLE)]
    works = {"Andon": clients.ANDON, AWS_LAMBDA_STREAM: clients.AWS_LAMBDA_STREAM}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="andon-replay-"))
        workload = Path(folder) / "workload.json"
        workload.write_text(json.dumps({"messages": messages, "records": [], "put_state": [], "get_logs": []}))
        modules, server = {"NODE_PATH": clients.node_path()}, stack.enter_context(Server())
        asked = {
            name: stack.enter_context(Client(command, workload, server.endpoint, modules))
            for name, command in works.items()
        }
        rounds = [{name: one.cpu_us("listener", BATCH) for name, one in asked.items()} for _ in range(ROUNDS)]
    return {name: median(one[name] for one in rounds[1:]) / len(messages) for name in works}


def _messages(lake: Path, topics: list[Any]) -> Iterator[list[str]]:
    """Yield the messages of each object, in the order of their keys."""
    for file in sorted(lake.rglob("*.ndjson.gz")):
        yield messages_of(lines_of(file.read_bytes()), topics, JOB, now_ms=clock.now_ms()).bodies


def _holds(expression: str, row: Mapping[str, str], names: Mapping[str, str], values: Mapping[str, Any]) -> bool:
    """Return True if a rebuild's condition holds: the oplock is newer, and the ttl grows or stays, as it says."""
    if row.get(names["#oplock"], "") >= values[":oplock"]["S"]:
        return False
    if "ttl" not in row:
        return "attribute_not_exists(#ttl)" in expression
    found, given = int(row["ttl"]), int(values[":ttl"]["N"])
    return found > given if expression.endswith("#ttl > :ttl") else found <= given


def _typed(row: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"N" if name == "ttl" else "S": value} for name, value in row.items()}

"""Handlers on the wire: CPU of the client's process and requests, beside those of the peers.

Rounds are interleaved, so that noise meets all alike; each figure is the median of its rounds.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from andon.runtime import clock
from bench import clients, npm
from bench.clients import Client, Server
from bench.figure import OURS, Figure, Goal, median_ratio
from bench.server import Stored
from bench.workload import EVENTS, NEWER, TTL_AHEAD, stored, workload

ROUNDS: Final = 11
WARM_UP: Final = 3
# Node compiles what has run often; after some 3,000 events it gets no faster.
WARM_UP_OF_NODE: Final = 30

BOTOCORE, POWERTOOLS, AWS_LAMBDA_STREAM = "botocore", "Powertools", "aws-lambda-stream"
REPORTS: Final = 6  # of a machine in 30 minutes, which its timer moves by

WITHOUT_AWS: Final = "without AWS"
ALL: Final = (OURS, BOTOCORE, POWERTOOLS, AWS_LAMBDA_STREAM)
WIRES: Final = (OURS, BOTOCORE)


class Case(NamedTuple):
    """A work, in batches of a size, and whose it is measured of."""

    work: str
    batch: int = 1
    of: tuple[str, ...] = WIRES


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU of each round in µs an event, and requests an event, by who it was measured of."""

    cpu_us: Mapping[str, list[float]]
    requests: Mapping[str, float]

    def cpu(self, what: str, goal: Goal | None = None, *, of: str = OURS) -> Figure:
        """Return the medians."""
        medians = {name: median(rounds) for name, rounds in self.cpu_us.items()}
        return Figure(what, medians.pop(of), "µs", goal, medians)

    def sent(self, what: str) -> Figure:
        """Return the requests."""
        others = {name: count for name, count in self.requests.items() if name != OURS}
        return Figure(what, self.requests[OURS], beside=others)


class Bench:
    """The clients that are there, and the server that they talk to."""

    def __init__(self, server: Server, clients_by_name: Mapping[str, Client]) -> None:
        self._server = server
        self._clients = clients_by_name

    def measure(self, case: Case) -> Measured:
        """Do a work in turn, behind some rounds for nothing."""
        here = {name: client for name in case.of if (client := self._clients.get(name))}
        requests = {name: self._requests(client, case) for name, client in here.items()}
        rounds: dict[str, list[float]] = {name: [] for name in here}
        for number in range(WARM_UP + ROUNDS):
            for name, client in here.items():
                us = client.cpu_us(case.work, case.batch) / EVENTS
                if number >= WARM_UP:
                    rounds[name].append(us)
        return Measured(rounds, requests)

    def measure_over(self, there: Stored, case: Case, now_ms: int) -> Measured:
        """Do a work while something else is stored."""
        self._server.store(there)
        measured = self.measure(case)
        self._server.store(stored(now_ms))
        return measured

    def requests_if_refused(self, row: dict[str, Any], *, when: str, now_ms: int) -> float:
        """Count the requests of an event whose first update fails because a row is in the way."""
        self._server.store({**stored(now_ms), "refusal": {"when": when, "row": row}})
        requests = self._requests(self._clients[OURS], Case("listener", 10))
        self._server.store(stored(now_ms))
        return requests

    def _requests(self, client: Client, case: Case) -> float:
        self._server.calls()
        client.cpu_us(case.work, case.batch)
        return sum(self._server.calls()["counts"].values()) / EVENTS


def figures() -> list[Figure]:
    """Measure."""
    now_ms = clock.now_ms()
    with tempfile.TemporaryDirectory(prefix="andon-bench-") as folder, ExitStack() as running:
        file = Path(folder) / "workload.json"
        file.write_text(json.dumps(workload(now_ms)))
        server = running.enter_context(Server())
        server.store(stored(now_ms))
        here = {name: running.enter_context(client) for name, client in _clients(file, server).items()}
        if AWS_LAMBDA_STREAM in here:
            _let_node_compile(here[AWS_LAMBDA_STREAM])
        bench = Bench(server, here)
        return [*_of_listeners(bench, now_ms), *_of_triggers(bench), *_of_the_others(bench, now_ms)]


def _clients(file: Path, server: Server) -> dict[str, Client]:
    here = {
        OURS: Client(clients.ANDON, file, server.endpoint, {"AWS_WIRE": "libcurl"}),
        BOTOCORE: Client(clients.ANDON, file, server.endpoint, {"AWS_WIRE": "botocore"}),
        WITHOUT_AWS: Client((*clients.ANDON, "--without-aws"), file, server.endpoint, {}),
        POWERTOOLS: Client(clients.POWERTOOLS, file, server.endpoint, {}),
    }
    try:
        more = {"NODE_PATH": clients.node_path()}
    except npm.NotInstalled as error:
        print(f"{AWS_LAMBDA_STREAM} is not measured: {error}", file=sys.stderr)
        return here
    return {**here, AWS_LAMBDA_STREAM: Client(clients.AWS_LAMBDA_STREAM, file, server.endpoint, more)}


def _let_node_compile(client: Client) -> None:
    for work in ("listener", "trigger"):
        for _ in range(WARM_UP_OF_NODE):
            client.cpu_us(work, 100)


def _of_listeners(bench: Bench, now_ms: int) -> list[Figure]:
    by_batch = {batch: bench.measure(Case("listener", batch, ALL)) for batch in (1, 10, 100)}
    without = bench.measure(Case("listener", 10, (WITHOUT_AWS,)))
    ten = by_batch[10]
    times = [
        Figure(f"… {name} / {OURS}", median_ratio(rounds, ten.cpu_us[OURS]), "x", goal)
        for name, goal in ((AWS_LAMBDA_STREAM, Goal("≥", 8)), (POWERTOOLS, None))
        if (rounds := ten.cpu_us.get(name))
    ]
    return [
        by_batch[1].cpu("listener, CPU per event, batch of 1"),
        ten.cpu("listener, CPU per event, batch of 10"),
        *times,
        by_batch[100].cpu("listener, CPU per event, batch of 100"),
        without.cpu("framework, per record of a batch of 10", Goal("≤", 25), of=WITHOUT_AWS),
        ten.sent("requests per event"),
        Figure("… something newer was written", bench.requests_if_refused(NEWER, when="#oplock", now_ms=now_ms)),
        Figure("… the row's ttl is ahead", bench.requests_if_refused(TTL_AHEAD, when="#ttl <= :ttl", now_ms=now_ms)),
    ]


def _of_triggers(bench: Bench) -> list[Figure]:
    by_batch = {batch: bench.measure(Case("trigger", batch, ALL)) for batch in (1, 10, 100)}
    return [
        by_batch[1].cpu("trigger, CPU per record, batch of 1"),
        by_batch[10].cpu("trigger, CPU per record, batch of 10"),
        by_batch[100].cpu("trigger, CPU per record, batch of 100", Goal("≤", 30)),
        by_batch[100].sent("requests per record, batch of 100"),
    ]


def _of_the_others(bench: Bench, now_ms: int) -> list[Figure]:
    put, get, sweep = (bench.measure(Case(work)) for work in ("put state", "get logs", "sweep"))
    moved = bench.measure_over(stored(now_ms, followed_by=REPORTS), Case("sweep"), now_ms)
    return [
        put.cpu("PUT state, CPU per request", Goal("≤", 450)),
        put.sent("requests per request"),
        get.cpu("GET logs, CPU per request"),
        get.sent("requests per request"),
        sweep.cpu("sweep, CPU per due row"),
        sweep.sent("requests per due row"),
        moved.cpu("sweep, CPU per timer that is moved"),
        moved.sent("requests per timer that is moved"),
    ]

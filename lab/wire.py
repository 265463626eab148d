"""Handlers on the wire: CPU of the client's process and requests, beside those of the peers.

Rounds are interleaved, so that noise meets all alike; each figure is the median of its rounds.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from andon.runtime import clock
from lab import npm
from lab.clients import ALONE, COMMANDS, STREAM_WITHOUT_AWS, WITHOUT_AWS, Client, Server
from lab.figure import AWS_LAMBDA_STREAM, BOTOCORE, OURS, POWERTOOLS, Figure, Goal, median_ratio
from lab.server import Stored
from lab.workload import EVENTS, NEWER, TTL_AHEAD, stored, workload

ROUNDS: Final = 11
WARM_UP: Final = 3
# Node compiles what has run often; after some 3,000 events it gets no faster.
WARM_UP_OF_NODE: Final = 30
REPORTS: Final = 6  # of a machine in 30 minutes, which its timer moves by

ALL: Final = (OURS, BOTOCORE, POWERTOOLS, AWS_LAMBDA_STREAM)
WIRES: Final = (OURS, BOTOCORE)
ITSELF: Final = {WITHOUT_AWS: OURS, STREAM_WITHOUT_AWS: AWS_LAMBDA_STREAM}
"""Clients without AWS, and the column that each stands in."""


@dataclass(frozen=True, slots=True)
class MeasuredRounds:
    """CPU of each round in µs an event, and requests an event, by who it was measured of."""

    cpu_us: Mapping[str, list[float]]
    requests: Mapping[str, float]

    def cpu(self, what: str, goal: Goal | None = None) -> Figure:
        """Return the medians."""
        own, *_ = medians = {name: median(rounds) for name, rounds in self.cpu_us.items()}
        return Figure(what, medians.pop(own), "µs", goal, medians)

    def ratio(self, name: str, goal: Goal | None = None) -> list[Figure]:
        """Return a peer's CPU as a multiple of ours, if it was measured."""
        rounds = self.cpu_us.get(name)
        return [Figure(f"… {name} / {OURS}", median_ratio(rounds, self.cpu_us[OURS]), "x", goal)] if rounds else []

    def under(self, names: Mapping[str, str]) -> "MeasuredRounds":
        """Return the same under other names."""
        return MeasuredRounds(
            {names[name]: rounds for name, rounds in self.cpu_us.items()},
            {names[name]: requests for name, requests in self.requests.items()},
        )

    def sent(self, what: str) -> Figure:
        """Return the requests."""
        return Figure(what, self.requests[OURS], beside={name: n for name, n in self.requests.items() if name != OURS})


@dataclass(frozen=True, slots=True)
class Bench:
    """The clients that are there, by name, and the server that they talk to."""

    server: Server
    clients: Mapping[str, Client]
    now_ms: int

    def measure(self, work: str, batch: int = 1, of: tuple[str, ...] = WIRES) -> MeasuredRounds:
        """Do a work in turn, behind some rounds for nothing."""
        here = {name: self.clients[name] for name in of if name in self.clients}
        requests = {name: self._requests(client, work, batch) for name, client in here.items()}
        rounds: dict[str, list[float]] = {name: [] for name in here}
        for number in range(WARM_UP + ROUNDS):
            for name, client in here.items():
                us = client.cpu_us(work, batch) / EVENTS
                if number >= WARM_UP:
                    rounds[name].append(us)
        return MeasuredRounds(rounds, requests)

    def warm_up(self, work: str, name: str) -> None:
        """Let a client on node, if it is there, do a work until it is compiled."""
        if node := self.clients.get(name):
            for _ in range(WARM_UP_OF_NODE):
                node.cpu_us(work, 100)

    @contextmanager
    def storing(self, there: Stored) -> Iterator[None]:
        """Let something else be stored."""
        self.server.store(there)
        yield
        self.server.store(stored(self.now_ms))

    def requests_if_refused(self, what: str, row: dict[str, Any], *, when: str) -> Figure:
        """Count the requests of an event whose first update fails because a row is in the way."""
        with self.storing({**stored(self.now_ms), "refusal": {"when": when, "row": row}}):
            return Figure(what, self._requests(self.clients[OURS], "listener", 10))

    def _requests(self, client: Client, work: str, batch: int) -> float:
        self.server.calls()
        client.cpu_us(work, batch)
        return sum(self.server.calls()["counts"].values()) / EVENTS


def figures() -> list[Figure]:
    """Measure."""
    now_ms = clock.now_ms()
    with tempfile.TemporaryDirectory(prefix="andon-bench-") as folder, ExitStack() as running:
        file = Path(folder) / "workload.json"
        file.write_text(json.dumps(workload(now_ms)))
        server, here = running.enter_context(Server()), dict[str, Client]()
        server.store(stored(now_ms))
        for name in COMMANDS:
            try:
                here[name] = running.enter_context(Client(name, file, server.endpoint))
            except npm.NotInstalled as error:
                print(f"{name} is not measured: {error}", file=sys.stderr)
        bench = Bench(server, here, now_ms)
        return [*_of_listeners(bench), *_of_triggers(bench), *_of_the_others(bench)]


def _of_each_size(bench: Bench, work: str) -> list[MeasuredRounds]:
    bench.warm_up(work, AWS_LAMBDA_STREAM)
    return [bench.measure(work, batch, ALL) for batch in (1, 10, 100)]


def _of_listeners(bench: Bench) -> list[Figure]:
    one, ten, hundred = _of_each_size(bench, "listener")
    bench.warm_up("listener", STREAM_WITHOUT_AWS)
    without = bench.measure("listener", 10, (*ITSELF,)).under(ITSELF)
    return [
        one.cpu("listener, CPU per event, batch of 1"),
        ten.cpu("listener, CPU per event, batch of 10"),
        *ten.ratio(AWS_LAMBDA_STREAM, Goal("≥", 12)),
        *ten.ratio(POWERTOOLS),
        hundred.cpu("listener, CPU per event, batch of 100"),
        without.cpu("framework: without AWS, per record of a batch of 10"),
        *without.ratio(AWS_LAMBDA_STREAM, Goal("≥", 6)),
        ten.sent("requests per event"),
        bench.requests_if_refused("… something newer was written", NEWER, when="#oplock"),
        bench.requests_if_refused("… the row's ttl is ahead", TTL_AHEAD, when="#ttl <= :ttl"),
    ]


def _of_triggers(bench: Bench) -> list[Figure]:
    one, ten, hundred = _of_each_size(bench, "trigger")
    alone = bench.measure("trigger", 100, (ALONE, POWERTOOLS)).under({ALONE: OURS, POWERTOOLS: POWERTOOLS})
    return [
        one.cpu("trigger, CPU per record, batch of 1"),
        ten.cpu("trigger, CPU per record, batch of 10"),
        hundred.cpu("trigger, CPU per record, batch of 100"),
        *hundred.ratio(POWERTOOLS, Goal("≥", 6)),
        *hundred.ratio(AWS_LAMBDA_STREAM),
        hundred.sent("requests per record, batch of 100"),
        alone.cpu("trigger, each fact alone, batch of 100"),
        alone.sent("requests per record, each fact alone"),
    ]


def _of_the_others(bench: Bench) -> list[Figure]:
    put, get, sweep = (bench.measure(work) for work in ("put state", "get logs", "sweep"))
    with bench.storing(stored(bench.now_ms, followed_by=REPORTS)):
        moved = bench.measure("sweep")
    return [
        put.cpu("PUT state, CPU per request"),
        *put.ratio(BOTOCORE, Goal("≥", 3.5)),
        put.sent("requests per request"),
        get.cpu("GET logs, CPU per request"),
        get.sent("requests per request"),
        sweep.cpu("sweep, CPU per due row"),
        sweep.sent("requests per due row"),
        moved.cpu("sweep, CPU per timer that is moved"),
        moved.sent("requests per timer that is moved"),
    ]

"""Handlers on the wire: CPU of the client's process and requests, beside those of the peers.

The server runs on one processor, the clients, one after another, on another. Rounds are interleaved, so that noise
meets all alike; each figure is the median of its rounds.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any, Final, Self

from andon.events.publish import GROUPED
from andon.project import project
from andon.runtime import clock
from andon.testing import environment
from demo import npm
from lab.figure import AWS_LAMBDA_STREAM, BOTOCORE, OURS, POWERTOOLS, Figure, Goal, median_ratio
from lab.server import HOST, CallCounts, Stored
from lab.workload import EVENTS, NEWER, TTL_AHEAD, stored, workload

ALONE: Final = "each fact alone"
WITHOUT_AWS: Final = "without AWS"
STREAM_WITHOUT_AWS: Final = f"{AWS_LAMBDA_STREAM} {WITHOUT_AWS}"
PYTHON: Final = (sys.executable, "-m")
ANDON: Final = (*PYTHON, "lab.peers.andon")
STREAM: Final = ("node", str(Path(__file__).parent / "peers" / "aws_lambda_stream.cjs"))
COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    OURS: ANDON,
    ALONE: ANDON,
    BOTOCORE: ANDON,
    WITHOUT_AWS: (*ANDON, "--without-aws"),
    POWERTOOLS: (*PYTHON, "lab.peers.powertools"),
    AWS_LAMBDA_STREAM: STREAM,
    STREAM_WITHOUT_AWS: (*STREAM, "--without-aws"),
}

ENVIRONMENT: Final = environment.ENVIRONMENT | {
    "AWS_REGION": environment.REGION,
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
    "POWERTOOLS_SERVICE_NAME": "measured",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    **{name: name for name in ("STATE_LOG_TABLE", "EQUIPMENT_TABLE", "DISPATCH_TABLE")},
    # What aws-lambda-stream reads.
    "SERVICE": "state-log",
    "BUS_SRC": "equipment",
    "ENTITY_TABLE_NAME": "STATE_LOG_TABLE",
    "NODE_NO_WARNINGS": "1",
}
"""The variables that Lambda and `infra/` set for the functions."""

GROUPING: Final = {GROUPED: "1"} if project().grouped else {}
"""The variable of functions whose facts share entries of the bus."""


class Died(Exception):
    """A process ended before it had responded; what it said is on standard error."""


class Process:
    """A process that is spoken to in lines, on one processor, where the system can tell."""

    def __init__(self, command: Sequence[str], *, place: int, more: Mapping[str, str]) -> None:
        # Nothing of AWS's or of npm's but what is set here.
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        variables = {**kept, "PYTHONPATH": project().imports, **ENVIRONMENT, **more}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=variables)
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {sorted(os.sched_getaffinity(0))[place]})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, line: str) -> str:
        """Write a line and read one."""
        try:
            print(line, file=self._process.stdin, flush=True)
        except BrokenPipeError as error:
            raise Died from error
        return self.read()

    def read(self) -> str:
        """Read a line.

        Raises:
            Died: there is none.

        """
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise Died
        return line


class Server(Process):
    """The instant server."""

    def __init__(self) -> None:
        super().__init__((*PYTHON, "lab.server"), place=0, more={})
        self._port = int(self.read())

    @property
    def endpoint(self) -> str:
        """The URL at which it responds as AWS."""
        return f"http://{HOST}:{self._port}"

    def store(self, stored: Stored) -> None:
        """Replace what reads find, and which updates fail."""
        self._control("PUT", json.dumps(stored))

    def calls(self) -> CallCounts:
        """Return the calls since the last time."""
        calls: CallCounts = self._control("GET")
        return calls

    def _control(self, method: str, body: str | None = None) -> Any:  # noqa: ANN401  JSON
        connection = HTTPConnection(HOST, self._port)
        connection.request(method, "/control", body=body)
        response = json.loads(connection.getresponse().read())
        connection.close()
        return response


class Client(Process):
    """One of those that are compared, by its name in `COMMANDS`.

    Raises:
        NotInstalled: aws-lambda-stream could not be installed.

    """

    def __init__(self, name: str, workload: Path, endpoint: str, **more: str) -> None:
        self.name = name
        more |= {"AWS_ENDPOINT_URL": endpoint}
        if name == BOTOCORE:
            more["AWS_WIRE"] = BOTOCORE
        if name != ALONE:
            more |= GROUPING
        if COMMANDS[name][0] == STREAM[0]:
            more["NODE_PATH"] = os.pathsep.join(
                str(folder / "node_modules") for folder in map(npm.folder_of, npm.PACKAGES)
            )
        super().__init__([*COMMANDS[name], str(workload)], place=-1, more=more)

    def cpu_us(self, work: str, batch: int) -> float:
        """Do a work once; return its CPU in microseconds, of all threads."""
        return float(self.ask(json.dumps({"work": work, "batch": batch})))


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


def of_wire() -> list[Figure]:
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
        *ten.ratio(AWS_LAMBDA_STREAM, Goal("≥", 9)),
        *ten.ratio(POWERTOOLS),
        hundred.cpu("listener, CPU per event, batch of 100"),
        without.cpu("framework: without AWS, per record of a batch of 10"),
        *without.ratio(AWS_LAMBDA_STREAM, Goal("≥", 5)),
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
        *hundred.ratio(POWERTOOLS, Goal("≥", 5)),
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
        *put.ratio(BOTOCORE, Goal("≥", 3.2)),
        put.sent("requests per request"),
        get.cpu("GET logs, CPU per request"),
        get.sent("requests per request"),
        sweep.cpu("sweep, CPU per due row"),
        sweep.sent("requests per due row"),
        moved.cpu("sweep, CPU per timer that is moved"),
        moved.sent("requests per timer that is moved"),
    ]

"""The processes of a measurement: the server on one processor, the clients, one after another, on another."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from andon.project import project
from andon.tools.stack.aws import KEY, REGION
from bench import npm
from bench.server import HOST, Calls, Stored

PEERS: Final = Path(__file__).parent / "peers"
SERVER: Final = (sys.executable, "-m", "bench.server")
ANDON: Final = (sys.executable, "-m", "bench.peers.andon")
POWERTOOLS: Final = (sys.executable, "-m", "bench.peers.powertools")
AWS_LAMBDA_STREAM: Final = ("node", str(PEERS / "aws_lambda_stream.cjs"))

ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": KEY,
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
    "POWERTOOLS_SERVICE_NAME": "measured",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "STATE_LOG_TABLE": "STATE_LOG_TABLE",
    "EQUIPMENT_TABLE": "EQUIPMENT_TABLE",
    "DISPATCH_TABLE": "DISPATCH_TABLE",
    "STAGE": "local",
    "BUS_NAME": "andon",
    # What aws-lambda-stream reads.
    "SERVICE": "state-log",
    "BUS_SRC": "equipment",
    "ENTITY_TABLE_NAME": "STATE_LOG_TABLE",
    "NODE_NO_WARNINGS": "1",
}
"""The variables that Lambda and `infra/` set for the functions."""


class Died(Exception):
    """A process ended before it had responded; what it said is on standard error."""


class Process:
    """A process that is spoken to in lines, on one processor."""

    def __init__(self, command: Sequence[str], *, processor: int, environment: Mapping[str, str]) -> None:
        with _pinned_to(processor):
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def ask(self, line: str) -> str:
        """Write a line and read one."""
        if self._process.stdin is None:
            raise Died
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
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
        super().__init__(SERVER, processor=_processors()[0], environment=environment({}))
        self._port = int(self.read())

    @property
    def endpoint(self) -> str:
        """The URL at which it responds as AWS."""
        return f"http://{HOST}:{self._port}"

    def store(self, stored: Stored) -> None:
        """Replace what reads find, and which updates fail."""
        self._control("PUT", json.dumps(stored))

    def calls(self) -> Calls:
        """Return the calls since the last time."""
        calls: Calls = self._control("GET")
        return calls

    def _control(self, method: str, body: str | None = None) -> Any:  # noqa: ANN401  JSON
        connection = HTTPConnection(HOST, self._port)
        connection.request(method, "/control", body=body)
        response = json.loads(connection.getresponse().read())
        connection.close()
        return response


class Client(Process):
    """One of those that are compared."""

    def __init__(self, command: Sequence[str], workload: Path, endpoint: str, more: Mapping[str, str]) -> None:
        variables = environment({"AWS_ENDPOINT_URL": endpoint, **more})
        super().__init__([*command, str(workload)], processor=_processors()[-1], environment=variables)

    def cpu_us(self, work: str, batch: int) -> float:
        """Do a work once; return its CPU in microseconds, of all threads."""
        return float(self.ask(json.dumps({"work": work, "batch": batch})))


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a function: nothing of AWS's or of npm's but what is set here."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": project().imports, **ENVIRONMENT, **more}


def node_path() -> str:
    """Return the folders in which node finds aws-lambda-stream and the SDK.

    Raises:
        NotInstalled: they could not be installed.

    """
    return os.pathsep.join(str(folder / "node_modules") for folder in (npm.library(), npm.sdk()))


def _processors() -> list[int]:
    """Return the processors that this process may use; [0], where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]


@contextmanager
def _pinned_to(processor: int) -> Iterator[None]:
    """Start processes on one processor: a child inherits it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processor})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)

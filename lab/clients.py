"""The processes of a measurement: the server on one processor, the clients, one after another, on another."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final, Self

from andon.events.publish import GROUPED
from andon.project import project
from andon.testing import environment
from lab import npm
from lab.figure import AWS_LAMBDA_STREAM, BOTOCORE, OURS, POWERTOOLS
from lab.server import HOST, CallCounts, Stored

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

import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from support import needs

from andon.testing.crash_points import intruding
from andon.testing.environment import ENVIRONMENT, environment, frozen_clock
from andon.tools.stack import aws, emulator, outputs, processes
from andon.tools.stack.emulator import Emulator
from andon.tools.stack.errors import NotRunning, PortBusy
from andon.tools.stack.processes import eventually
from andon.wire.aws import BOTOCORE
from andon.wire.bucket import Bucket
from toys import shelves
from toys.clock import NOW


def _note(home: Path, text: str) -> None:
    (home / "emulator.json").write_text(text)


NO_PROCESS = [json.dumps({"pid": pid, "port": 1, "endpointPort": 2}) for pid in ("x", 999999999)]


@pytest.mark.parametrize("text", [None, "", "{}", "[]", '{"pid": 999999999, "port": 1}', *NO_PROCESS])
def test_a_note_that_names_no_process_is_no_emulator(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        _note(tmp_path, text)

    assert emulator.running(tmp_path) is None


def test_somebody_elses_process_with_the_noted_id_is_not_taken_for_the_emulator(tmp_path: Path) -> None:
    _note(tmp_path, json.dumps({"pid": os.getpid(), "port": 4566, "endpointPort": 4567}))

    assert emulator.running(tmp_path) is None


def test_a_busy_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server((emulator.HOST, 0)) as busy:
        port = busy.getsockname()[1]

        with pytest.raises(PortBusy, match=rf"port {port} is in use .* make up PORT={port + 1}"):
            emulator.start(tmp_path, port)

    assert not list(tmp_path.iterdir())


def test_outputs_are_those_of_a_running_stack_only(tmp_path: Path) -> None:
    outputs.write(tmp_path, {"ApiUrl": "http://127.0.0.1:4566"})

    with pytest.raises(NotRunning, match="make up"):
        outputs.of_running_stack(tmp_path)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def started(home: Path) -> Iterator[Emulator]:
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        emulator.let_through(home, {"/": "/_aws/execute-api/abc/"})
        yield running
    finally:
        emulator.stop(home, running)


@needs.EMULATOR
def test_the_emulator_is_found_again(home: Path, started: Emulator) -> None:
    outputs.write(home, {"ApiUrl": started.url})

    assert emulator.running(home) == Emulator(started.pid, started.port, started.endpoint_port)
    assert outputs.of_running_stack(home) == {"ApiUrl": started.url}


@needs.EMULATOR
def test_an_emulator_that_is_stopped_is_not_waited_for(
    home: Path, started: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulator, "ANSWER_S", 1)
    os.kill(started.pid, signal.SIGSTOP)
    try:
        with pytest.raises(NotRunning, match=rf"process {started.pid}, does not answer; end it: make down"):
            outputs.of_running_stack(home)
    finally:
        os.kill(started.pid, signal.SIGCONT)
    assert emulator.answers(started)


@needs.EMULATOR
def test_only_the_owner_can_read_where_unsigned_requests_are_taken(home: Path, started: Emulator) -> None:
    outputs.write(home, {"Endpoint": started.endpoint})

    modes = {name: (home / name).stat().st_mode & 0o777 for name in ("emulator.json", "outputs.json")}

    assert modes == {"emulator.json": 0o600, "outputs.json": 0o600}


FUNCTION = {
    "FunctionName": "of-a-web-page",
    "Runtime": "python3.11",
    "Role": "arn:aws:iam::000000000000:role/any",
    "Handler": "code.handler",
    "Code": {"ZipFile": "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=="},
}
OF_A_PAGE = [
    {"origin": "https://example.com", "sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "cross-site"},
    {"origin": "null"},
    {"host": "rebound.example"},
]


def _create_function(port: int, headers: dict[str, str]) -> int:
    """Try what a page can do without a preflight: POST a text."""
    with closing(http.client.HTTPConnection(emulator.HOST, port, timeout=30)) as connection:
        named = {"content-type": "text/plain"} | headers
        connection.request("POST", "/2015-03-31/functions", json.dumps(FUNCTION), named)
        return connection.getresponse().status


def _functions(running: Emulator) -> list[str]:
    listed = aws.client("lambda", running.endpoint).list_functions()["Functions"]
    return [function["FunctionName"] for function in listed]


@needs.EMULATOR
@pytest.mark.parametrize("headers", OF_A_PAGE, ids=str)
def test_a_web_page_creates_nothing_at_either_port(started: Emulator, headers: dict[str, str]) -> None:
    statuses = [_create_function(port, headers) for port in (started.port, started.endpoint_port)]

    assert statuses == [403, 403]
    assert _functions(started) == []


@needs.EMULATOR
def test_nothing_of_awss_api_is_on_the_public_port(started: Emulator) -> None:
    assert _create_function(started.port, {}) == 404
    with pytest.raises(ClientError):
        aws.client("dynamodb", started.url).list_tables()
    assert _functions(started) == []


@needs.EMULATOR
@pytest.mark.parametrize("ends_first", ["front", "emulator"])
def test_neither_the_front_nor_the_emulator_outlives_the_other(tmp_path: Path, ends_first: str) -> None:
    running = emulator.start(tmp_path, emulator.free_port())
    try:
        front = _front_of(running)
        os.kill({"front": front, "emulator": running.pid}[ends_first], signal.SIGKILL)

        assert eventually(lambda: _has_ended(running, front))
    finally:
        emulator.stop(tmp_path, running)


@needs.EMULATOR
def test_on_a_lifeline_both_end_with_whoever_holds_it(tmp_path: Path) -> None:
    running = emulator.start(tmp_path, emulator.free_port(), lifeline=True)
    try:
        front = _front_of(running)
        assert running.process
        assert running.process.stdin
        running.process.stdin.close()

        assert eventually(lambda: _has_ended(running, front))
    finally:
        emulator.stop(tmp_path, running)

    assert emulator.running(tmp_path) is None
    assert [path.name for path in tmp_path.iterdir()] == ["emulator.log"]


def _front_of(running: Emulator) -> int:
    return next(pid for pid in _children(running.pid) if "stack.front" in processes.command_line(pid))


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if listed.exists():  # a slim Linux image has no ps, macOS has no /proc
        return [int(child) for child in listed.read_text().split()]
    command = ["/usr/bin/env", "pgrep", "-P", str(pid)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return [int(child) for child in found.stdout.split()]


def _has_ended(running: Emulator, front: int) -> bool:
    assert running.process
    return running.process.poll() is not None and not processes.command_line(front)


@needs.EMULATOR
def test_rows_in_objects_are_written_on_condition_there_as_on_aws(started: Emulator) -> None:
    at = {"AWS_ENDPOINT_URL": started.endpoint, "AWS_WIRE": BOTOCORE, "NO_PROXY": "*", shelves.VARIABLE: "shelves"}
    with environment({**ENVIRONMENT, **at}), frozen_clock(NOW):
        aws.client("s3", started.endpoint).create_bucket(Bucket="shelves")
        assert shelves.deliver(shelves.put("emma", "a", at=NOW - 1), shelves.put("dubliners", "a")) == []
        with intruding(2, lambda: shelves.deliver(shelves.put("ulysses", "b"))) as calls:
            assert shelves.deliver(shelves.put("emma", "b", at=NOW - 1, id="first")) == []
        assert calls == ["GetObject", "PutObject"], "the other one wrote between them"
        assert shelves.deliver(shelves.put("emma", "b", "a")) == []
        said = {shelf: [row["book"] for row in rows] for shelf, rows in shelves.shown().items()}
        assert said == {"a": ["dubliners"], "b": ["emma", "ulysses"]}
        of_b = shelves.SHELVES.name_of(("b", shelves.DAY))
        bucket = Bucket(shelves.VARIABLE)
        found = bucket.find(of_b)
        assert found is not None
        assert not bucket.put_if(of_b, "{}", etag='"00000000000000000000000000000000"')
        assert not bucket.put_if(of_b, "{}", etag=None)
        assert not bucket.put_if("rows/none.json", "{}", etag=found.etag)
        assert bucket.find(of_b) == found

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from andon.tools.stack import processes, workers
from andon.tools.stack.worker_template import IMPORTED
from andon.tools.stack.workers import LAYERS, popen

# Says by whom a module of the layer was imported, and what else a worker finds; then answers until its input ends.
SCRIPT = """
import json, os, sys
import orjson, mine
print(json.dumps({"pid": os.getpid(), "imported by": orjson.PID, "mine": mine.PID, "folder": os.getcwd(),
    "environment": dict(os.environ), "argv": sys.argv, "path": sys.path}), flush=True)
print("begun", file=sys.stderr)
for line in sys.stdin:
    print(line.upper(), end="", flush=True)
"""
PID = "import os\nPID = os.getpid()\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are processes as ever")


@pytest.fixture
def layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A layer with the modules that templates import; its template ends with the test."""
    monkeypatch.setattr(workers, "templates", {})
    for name in IMPORTED:
        file = (tmp_path / "layer" / "python").joinpath(*name.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PID)
    (tmp_path / "worker").mkdir()
    (tmp_path / "worker" / "mine.py").write_text(PID)
    (tmp_path / "worker" / "ministack-lambda.py").write_text(SCRIPT)
    yield tmp_path / "layer"
    for template in workers.templates.values():
        template.end()


@contextmanager
def started(layer: Path, **environment: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Start a worker as the emulator does; yield it, and what it said."""
    environment |= {LAYERS: str(layer), "PYTHONPATH": str(layer / "python")}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, str(layer.parent / "worker" / "ministack-lambda.py")]
    worker = popen(command, cwd=str(layer), env=environment, text=True, bufsize=1, **pipes)
    try:
        yield worker, json.loads(worker.stdout.readline())
    finally:
        worker.kill()
        worker.wait(10)
        for stream in (worker.stdin, worker.stdout, worker.stderr):
            stream.close()


def test_a_worker_is_a_process_of_its_own_in_which_the_layer_is_imported_already(layer: Path) -> None:
    assert "orjson" in IMPORTED

    with started(layer, MINE="first") as (first, says), started(layer, MINE="second") as (_, says_second):
        assert says["pid"] == first.pid != says_second["pid"]
        assert says["imported by"] == says_second["imported by"] not in {says["pid"], says_second["pid"], os.getpid()}
        assert says["mine"] == says["pid"]
        assert says["path"][0] == str(layer.parent / "worker")
        assert str(layer / "python") not in says["path"]  # the script puts its layers where they belong
        assert (says["folder"], says["argv"]) == (str(layer), [str(layer.parent / "worker" / "ministack-lambda.py")])
        assert [one["environment"].get("MINE") for one in (says, says_second)] == ["first", "second"]
        assert "HOME" not in says["environment"]  # nothing but what it was given
        assert processes.command_line(first.pid) == f"{sys.executable} {layer.parent}/worker/ministack-lambda.py"
        assert first.stderr.readline() == "begun\n"
        first.stdin.write("asked\n")
        assert first.stdout.readline() == "ASKED\n"


def test_a_worker_runs_until_it_is_killed_or_its_input_ends(layer: Path) -> None:
    with started(layer) as (killed, _), started(layer) as (ended, _):
        assert (killed.poll(), ended.poll()) == (None, None)
        with pytest.raises(subprocess.TimeoutExpired):
            killed.wait(0.01)

        killed.terminate()
        ended.stdin.close()

        assert (killed.wait(10), ended.wait(10)) == (0, 0)
        assert (killed.poll(), ended.poll()) == (0, 0)
        assert killed.stdout.read() == ended.stdout.read() == ""


@pytest.mark.usefixtures("many_open_files")
def test_a_worker_is_known_to_run_or_to_have_ended_however_many_there_are(layer: Path) -> None:
    with started(layer) as (worker, _):
        assert worker.poll() is None

        worker.terminate()

        assert worker.wait(10) == worker.poll() == 0


def test_without_its_template_a_worker_is_started_as_ever_and_the_next_one_is_forked(layer: Path) -> None:
    with started(layer) as (_, says):
        os.kill(says["imported by"], signal.SIGKILL)

    with started(layer) as (worker, says):
        assert isinstance(worker, subprocess.Popen)
        assert says["imported by"] == says["pid"]
    with started(layer) as (worker, says):
        assert says["imported by"] != says["pid"]

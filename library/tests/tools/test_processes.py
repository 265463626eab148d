import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andon.project import project
from andon.tools.stack import processes
from andon.tools.stack.errors import ToolFailed

# A parent and a child, neither of which minds SIGTERM.
STUBBORN = (
    "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "child = subprocess.Popen([sys.executable, '-c',"
    " 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)']);"
    "print(child.pid, flush=True); time.sleep(60)"
)

RUNS = """
import os, pathlib, sys
from andon.tools.stack import processes
log, code = pathlib.Path(sys.argv[1]), sys.argv[2]
processes.run([sys.executable, "-c", code], cwd=log.parent, env=dict(os.environ), log=log, limit_s=60)
"""


def _run(code: str, log: Path, limit_s: float = 30) -> None:
    processes.run([sys.executable, "-c", code], cwd=log.parent, env=dict(os.environ), log=log, limit_s=limit_s)


def test_a_command_leaves_its_output_in_the_log(tmp_path: Path) -> None:
    _run("print('done')", tmp_path / "log")

    assert (tmp_path / "log").read_text() == "done\n"


def test_a_command_that_fails_is_reported_with_the_end_of_its_output(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r"ended with 3; .*\nwhat is wrong$"):
        _run("import sys; print('what is wrong'); sys.exit(3)", tmp_path / "log")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise ValueError('view x: raise TTL_DAYS')", "the stack is refused at synth: view x: raise TTL_DAYS"),
        ("raise LookupError('there is no view y')", "the stack is refused at synth: there is no view y"),
        (
            "try:\n    raise ValueError('cause')\nexcept ValueError as e:\n    raise ValueError('two\\nlines') from e",
            "the stack is refused at synth: two\nlines",
        ),
    ],
)
def test_a_refusal_is_its_sentence_alone(code: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as failed:
        _run(code, tmp_path / "log")

    assert str(failed.value) == f"{said} (all of it: {tmp_path / 'log'})"


@pytest.mark.parametrize("code", ["{}['x']", "1 / 0", "raise TypeError('f() takes no x')"])
def test_a_defect_of_a_stack_keeps_its_traceback(code: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r"ended with 1; .*\nTraceback .*\n.*File"):
        _run(code, tmp_path / "log")


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE_S", 0.3)

    log = tmp_path / "log"

    for limit_s in (2, 8, 32):
        with pytest.raises(ToolFailed, match=f"did not end within {limit_s} s"):
            _run(STUBBORN, log, limit_s=limit_s)
        if log.read_text():  # else the machine was too busy for it to have a child by then
            break

    child = int(log.read_text())
    assert processes.eventually(lambda: not processes.command_line(child))


def test_a_group_that_ends_when_asked_is_not_waited_for() -> None:
    polite = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    started = time.monotonic()

    processes.end_group(polite.pid, polite, grace_s=processes.PATIENCE_S)

    assert polite.returncode == -signal.SIGTERM
    assert time.monotonic() - started < processes.PATIENCE_S


def test_a_process_says_what_it_runs_until_it_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()", "its-mark"], stdin=subprocess.PIPE)

    assert processes.eventually(lambda: "its-mark" in processes.command_line(process.pid))

    process.communicate()
    assert processes.command_line(process.pid) == ""


def test_polling_ends_at_the_deadline() -> None:
    assert processes.eventually(lambda: True, within_s=0)
    assert not processes.eventually(lambda: False, within_s=0.1)


def test_what_a_killed_process_left_is_ended_and_nothing_else(tmp_path: Path) -> None:
    log = tmp_path / "cdk.log"
    killed = subprocess.Popen(  # noqa: S603  our own words
        [sys.executable, "-c", RUNS, str(log), STUBBORN], env={**os.environ, "PYTHONPATH": project().imports}
    )
    assert processes.eventually(lambda: log.exists() and log.read_text() != "")
    killed.kill()
    killed.wait()
    left = json.loads((tmp_path / "cdk.pid").read_text())["pid"]
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    (tmp_path / "other.pid").write_text(json.dumps({"pid": other.pid, "command": "another one"}))
    (tmp_path / "half.pid").write_text('{"pid":')

    processes.end_left(tmp_path)
    is_ended = other.poll() is not None
    other.communicate(b"\n")

    assert not is_ended
    of_both = (left, int(log.read_text()))  # whoever is killed is there for a moment longer
    assert processes.eventually(lambda: not any(map(processes.command_line, of_both)))
    assert [*tmp_path.glob("*.pid")] == []


def test_a_command_that_ended_leaves_no_note(tmp_path: Path) -> None:
    _run("pass", tmp_path / "cdk.log")

    assert [*tmp_path.glob("*.pid")] == []

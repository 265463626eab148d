"""Processes that this project starts, and ends by the id that they were given."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from andon.tools.stack.errors import ToolFailed

_TAIL_LINES: Final = 30
GRACE_S = 5.0
POLL_S: Final = 0.05
PATIENCE_S: Final = 300.0  # who waits longer has failed, however busy the machine is
_REFUSAL: Final = re.compile(
    r"^(?:[\w.]+\.)?(?:ValueError|LookupError|NotImplementedError): (.*)\Z", re.MULTILINE | re.DOTALL
)
LEFT: Final = ".pid"  # ends the name of the file that says what runs, beside its log


def command_line(pid: int) -> str:
    """Return the command that process `pid` runs; empty when there is none (a zombie has none either)."""
    listed = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return listed.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            return ""
    # macOS has no /proc, a slim Linux image has no ps.
    found = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], check=False, capture_output=True, text=True)
    return found.stdout.strip()


def end_group(pid: int, process: subprocess.Popen[bytes] | None = None, *, grace_s: float) -> None:
    """End the process group that `pid` leads: by SIGTERM, and after at most `grace_s` by SIGKILL.

    `process` is the leader, where it is a child of this process; its exit status is collected.
    """

    def ended() -> bool:
        return process.poll() is not None if process else not command_line(pid)

    # Only the leader is waited for: in a container it may be that nobody collects orphans, which look alive for ever.
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS refuses to signal a group of zombies
            os.killpg(pid, signal_number)
        eventually(ended, within_s=grace_s)
    if not ended():
        raise ToolFailed(f"process {pid} does not end")


def _leave(process: "subprocess.Popen[bytes]", note: Path) -> None:
    """End a process that still runs, and remove its note."""
    if process.poll() is None:  # also after Ctrl-C
        end_group(process.pid, process, grace_s=GRACE_S)
    note.unlink(missing_ok=True)


def run(command: list[str], *, cwd: Path, env: dict[str, str], log: Path, limit_s: float) -> None:
    """Run `command` to its end, with its output in `log`.

    Raises:
        ToolFailed: it ended badly or was still running after `limit_s`; with its refusal, or the end of the log.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a group of its own: a CDK that hangs has children, which have to end, too
        )
        note = log.with_suffix(LEFT)
        try:
            note.write_text(json.dumps({"pid": process.pid, "command": " ".join(command)}))
            process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise ToolFailed(
                f"{command[0]} did not end within {limit_s:.0f} s; the end of {log}:\n{tail(log)}"
            ) from None
        finally:
            _leave(process, note)
    if process.returncode:
        raise ToolFailed(_end_of(command, process.returncode, log))


def _end_of(command: list[str], status: int, log: Path) -> str:
    if why := refusal_in(log.read_text(errors="replace")):
        return f"{why} (all of it: {log})"
    return f"{Path(command[0]).name} ended with {status}; the end of {log}:\n{tail(log)}"


def refusal_in(said: str) -> str | None:
    """Return the sentence of a stack that was refused, out of what its synth said; None: it ended with another error.

    Checks raise these kinds of errors alone, with words for whoever wrote the stack. Of others the traceback is needed.
    """
    found = _REFUSAL.search(said.rpartition("Traceback (most recent call last):\n")[2])
    return f"the stack is refused at synth: {found[1].strip()}" if found else None


def end_left(folder: Path) -> None:
    """End the commands with a log in `folder` that go on although who ran them was killed."""
    for note in folder.glob(f"*{LEFT}"):
        with contextlib.suppress(ValueError, KeyError, TypeError):  # it was killed while it wrote this
            noted = json.loads(note.read_text())
            if noted["command"] in command_line(noted["pid"]):
                end_group(noted["pid"], grace_s=GRACE_S)
        note.unlink(missing_ok=True)


def tail(log: Path) -> str:
    """Return the last lines of `log`."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-_TAIL_LINES:])


def eventually(true: Callable[[], bool], *, within_s: float = PATIENCE_S) -> bool:
    """Poll until `true()`; return whether it became true in time. Half of the time at most is spent on looking."""
    began = time.monotonic()
    deadline = began + within_s
    while not true():
        now = time.monotonic()
        if now > deadline:
            return False
        time.sleep(max(POLL_S, now - began))
        began = time.monotonic()
    return True

"""Lambda's workers as the emulator runs them: forked, unpacked once, with the logs of each told apart."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import Popen
from types import SimpleNamespace
from typing import IO, Any, Final
from weakref import WeakKeyDictionary

# Workers of Lambda that are forked, in place of those that the emulator starts: nine tenths of a start are imports.
#
# For each set of layers there is a template (`worker_template`), which has imported what all workers import of it. On
# Linux only; elsewhere, and for other programs, processes are started as ever. Without it, and what `unpacking` shares,
# `make up` takes 5 s of CPU more, of 18.


TEMPLATE: Final = Path(__file__).with_name("worker_template.py")
LAYERS: Final = "_LAMBDA_LAYERS_DIRS"
FOLDER: Final = "python"  # of a layer, from which Python imports

# The name of a worker takes the place of its template's.
ROOM: Final = "." * 400


class Forked:
    """A worker, as far as the emulator looks at `subprocess.Popen`."""

    def __init__(self, pid: int, known: int, streams: tuple[IO[str], IO[str], IO[str]]) -> None:
        self.pid, self._known = pid, known
        self.stdin, self.stdout, self.stderr = streams
        weakref.finalize(self, os.close, known)

    def poll(self) -> int | None:
        """Return None while it runs."""
        return 0 if _is_readable(self._known, 0) else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended.

        Raises:
            subprocess.TimeoutExpired: it has not.

        """
        if not _is_readable(self._known, timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return 0

    def terminate(self) -> None:
        """Ask it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._known, number)


class Template:
    """The process that workers are forked from; it ends with this one."""

    def __init__(self, folders: Sequence[str]) -> None:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(TEMPLATE), str(its.fileno()), *folders, ROOM],
                stdin=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
            )
        self._socket, self._turn = ours, threading.Lock()

    def fork(self, script: str, folder: str, environment: Mapping[str, str]) -> Forked:
        """Return a worker that runs a script in a folder.

        Raises:
            OSError: the template has ended.

        """
        asked = json.dumps({"script": script, "folder": folder, "environment": dict(environment)}).encode()
        (its_in, our_in), (our_out, its_out), (our_err, its_err) = os.pipe(), os.pipe(), os.pipe()
        theirs = [its_in, its_out, its_err]
        try:
            pid, known = self._ask(asked, theirs)
        except OSError:
            for one in (our_in, our_out, our_err):
                os.close(one)
            raise
        finally:
            for one in theirs:
                os.close(one)
        streams = (os.fdopen(our_in, "w", 1), os.fdopen(our_out, buffering=1), os.fdopen(our_err, buffering=1))
        return Forked(pid, known, streams)

    def _ask(self, asked: bytes, theirs: list[int]) -> tuple[int, int]:
        """Return the id of a new worker, which has these descriptors, and a descriptor of its process."""
        with self._turn:
            socket.send_fds(self._socket, [asked], theirs)
            said, known, _, _ = socket.recv_fds(self._socket, 100, 1)
        if not said:
            raise ConnectionResetError(f"{TEMPLATE} has ended")
        return int(said), known[0]

    def end(self) -> None:
        """End it; its workers go on."""
        self._socket.close()
        self._process.wait()


def _is_readable(descriptor: int, within_s: float | None = None) -> bool:
    """Return True once there is something to read or the other end is closed; `select` takes no number over 1,023."""
    asked = select.poll()
    asked.register(descriptor, select.POLLIN)
    return bool(asked.poll(None if within_s is None else within_s * 1000))


templates: Final = dict[tuple[str, ...], Template]()
"""By the folders that they import from."""

_lock: Final = threading.Lock()


def popen(command: Sequence[str], **how: Any) -> Any:  # noqa: ANN401  as `subprocess.Popen`
    """Start a program; a worker in Python is forked."""
    if sys.platform != "linux" or command[0] != sys.executable or len(command) != len(("python", "script")):
        return subprocess.Popen(command, **how)
    layers = filter(None, how["env"].get(LAYERS, "").split(os.pathsep))
    folders = tuple(str((Path(layer) / FOLDER).resolve()) for layer in layers)
    try:
        return _template(folders).fork(command[1], how["cwd"], how["env"])
    except OSError:
        if ended := templates.pop(folders, None):
            ended.end()
        return subprocess.Popen(command, **how)


def _template(folders: tuple[str, ...]) -> Template:
    with _lock:
        if folders not in templates:
            templates[folders] = Template(folders)
        return templates[folders]


MODULE: Final = SimpleNamespace(**{**vars(subprocess), "Popen": popen})
"""The module `subprocess`, whose workers are forked."""


# All log lines of a call with its answer: the emulator waits 50 ms for more of them, on a busy machine not long enough.
#
# A worker writes its log before its answer, so that all of it is in the pipe by then. Two threads empty the pipe, one
# at a time: one that follows it while the Lambda runs, so that it is never full, and the one that got the answer.

CHUNK: Final = 65_536

# A worker that failed has been ended, so that its pipe ends, too, and the thread with it, however busy the machine is.
# Only a child of the worker that lives on keeps the pipe open, and must not keep the answer.
_END_S: Final = 30.0


class Pipe:
    """The end of a pipe that lines come out of."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock, self._begun, self.has_ended = descriptor, threading.Lock(), b"", False
        os.set_blocking(descriptor, False)

    def wait(self) -> None:
        """Return when there is something to take, or the other end is closed."""
        _is_readable(self._descriptor)

    def take(self, lines: Any) -> None:  # noqa: ANN401  a queue
        """Move the lines that are in the pipe to a queue."""
        with self._lock:
            *whole, self._begun = (self._begun + b"".join(self._chunks())).split(b"\n")
            if self.has_ended and self._begun:
                whole.append(self._begun)
            for line in whole:
                lines.put(line.decode(errors="replace"))

    def _chunks(self) -> Iterator[bytes]:
        try:
            while chunk := os.read(self._descriptor, CHUNK):
                yield chunk
        except BlockingIOError:
            return  # empty for now
        self.has_ended = True


_pipes: Final[WeakKeyDictionary[Any, Pipe]] = WeakKeyDictionary()
_pipes_lock: Final = threading.Lock()


def _pipe_of(process: Popen[str]) -> Pipe:
    with _pipes_lock:
        if process not in _pipes and process.stderr is not None:
            _pipes[process] = Pipe(process.stderr.fileno())
        return _pipes[process]


def follow(worker: Any) -> None:  # noqa: ANN401  the emulator's `Worker`
    """Take out what a worker writes until it ends, in place of its `_read_stderr`."""
    process, lines = worker._proc, worker._stderr_queue  # noqa: SLF001
    pipe = _pipe_of(process)
    while not pipe.has_ended:
        pipe.wait()
        pipe.take(lines)


def drained(worker: Any) -> str:  # noqa: ANN401
    """Return a worker's output since the last call, in place of its `_drain_stderr_bounded`."""
    if worker._proc is None:  # noqa: SLF001
        worker._stderr_thread.join(_END_S)  # noqa: SLF001
    else:
        _pipe_of(worker._proc).take(worker._stderr_queue)  # noqa: SLF001
    return str(worker._drain_stderr())  # noqa: SLF001

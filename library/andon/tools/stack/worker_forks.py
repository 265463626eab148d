"""Workers of Lambda that are forked, in place of those that the emulator starts: nine tenths of a start are imports.

For each set of layers there is a template (`worker_template`), which has imported what all workers import of it. On
Linux only; elsewhere, and for other programs, processes are started as ever.
"""

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
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Final

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
        return 0 if select.select([self._known], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended.

        Raises:
            subprocess.TimeoutExpired: it has not.

        """
        if not select.select([self._known], [], [], timeout)[0]:
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

"""A Lambda's log lines, as soon as it has answered: the emulator waits up to 50 ms for more of them.

A worker writes its log before its answer, so that all of it is in the pipe by then. Two threads empty the pipe, one at
a time: one that follows it while the Lambda runs, so that it is never full, and the one that got the answer.
"""

import os
import select
import threading
from collections.abc import Iterator
from subprocess import Popen
from typing import Any, Final
from weakref import WeakKeyDictionary

CHUNK: Final = 65_536

# A worker that failed has been ended, so that its pipe ends, too, and the thread with it, however busy the machine is.
# Only a child of the worker that lives on keeps the pipe open, and must not keep the answer.
END_S: Final = 30.0


class Pipe:
    """The end of a pipe that lines come out of."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock, self._begun, self.has_ended = descriptor, threading.Lock(), b"", False
        os.set_blocking(descriptor, False)

    def wait(self) -> None:
        """Return when there is something to take, or the other end is closed."""
        select.select([self._descriptor], [], [])

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
        worker._stderr_thread.join(END_S)  # noqa: SLF001
    else:
        _pipe_of(worker._proc).take(worker._stderr_queue)  # noqa: SLF001
    return str(worker._drain_stderr())  # noqa: SLF001

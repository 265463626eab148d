"""A process that Lambda's workers are forked from: it has imported what takes most of their start.

`emulator_process` runs it as a file, with a socket's descriptor and folders to import from: a worker finds its own
library in them, so that none may be loaded here. Each request has what `worker_forks` says; the answer is the worker's
process id and a descriptor of the process. It ends when the other end of the socket is closed.
"""

import contextlib
import gc
import importlib
import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

IMPORTED = ("boto3", "pydantic", "pycurl", "orjson")
OBJECTS = 50_000  # so many new ones until a worker looks for cycles: what it imports, and rows, have none
MOST = 200_000  # bytes of a request
STREAMS = 3


def main(descriptor: str, *folders: str) -> None:
    """Fork workers until nobody asks for one."""
    asked = socket.socket(fileno=int(descriptor))
    _prepare(folders)
    while True:
        said, streams, _, _ = socket.recv_fds(asked, MOST, STREAMS)
        collect()
        if not said:
            return
        pid = os.fork()
        if pid == 0:
            asked.close()
            run(json.loads(said), streams)
            return
        for one in streams:
            os.close(one)
        _answer(asked, pid)


def _prepare(folders: Sequence[str]) -> None:
    """Import the modules that all workers share."""
    own = [*sys.path]
    sys.path[:0] = folders
    for name in IMPORTED:
        with contextlib.suppress(ImportError):  # a project may do without it
            importlib.import_module(name)
    sys.path[:] = own
    gc.collect()
    gc.set_threshold(OBJECTS)
    gc.freeze()  # or the first collection in a worker would copy all of it


def _answer(asked: socket.socket, pid: int) -> None:
    known = os.pidfd_open(pid)
    socket.send_fds(asked, [str(pid).encode()], [known])
    os.close(known)


def collect() -> None:
    """Let go of workers that have ended."""
    with contextlib.suppress(ChildProcessError):  # there is none at all
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def run(worker: dict[str, Any], streams: list[int]) -> None:
    """Be the worker: `{"script", "folder", "environment"}`, with these standard streams."""
    script = Path(worker["script"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(worker["folder"])
    os.environ.clear()
    os.environ.update(worker["environment"])
    sys.argv[:] = [str(script)]
    sys.path.insert(0, str(script.parent))
    _be_named(f"{sys.executable} {script}")
    code = compile(script.read_text(), script, "exec")
    exec(code, {"__name__": "__main__", "__file__": str(script)})  # noqa: S102  as Python does with its first argument


def _be_named(command: str) -> None:
    """Have this process listed by another command line, as far as it is not longer than its own."""
    said = Path("/proc/self/stat").read_text()
    first, last = map(int, said.rpartition(")")[2].split()[45:47])
    with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
        memory.seek(first)
        memory.write(command.encode()[: last - first - 1].replace(b" ", b"\0").ljust(last - first, b"\0"))


if __name__ == "__main__":
    main(*sys.argv[1:-1])

"""The press in a process of its own: by node-opcua, which npm brings, or by asyncua, which is here anyway."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from andon.project import project
from lab import npm

HERE: Final = Path(__file__).parent
READY: Final = "ready"
DONE: Final = "ok"


class Ended(Exception):
    """The server has ended, or did not begin; its log says why."""


class Plc:
    """A server that turns its values by lines."""

    def __init__(self, command: Sequence[str], *, log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Start it, and wait until it answers.

        Raises:
            Ended: it does not.

        """
        self._log = log
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=project().root,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        if (said := self._line()) != READY:
            self.kill()
            raise Ended(f"the server said {said!r}")

    def turn(self, line: str) -> str:
        """Turn a value, such as `oil 81`; return DONE as soon as the server has it, or what is wrong with the line."""
        if self._process.stdin:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        return self._line()

    def end(self) -> None:
        """Have it say goodbye to its clients, and wait for its end."""
        self._process.communicate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.communicate()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Have it stand still; its port stays open."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _line(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self.kill()
            raise Ended(f"the server has ended: {self._log}")
        return line.strip()


def by_asyncua(port: int, folder: Path, *options: object) -> Plc:
    """Return a running server; a log is written into a folder. options: see `server.py`."""
    words = [str(option) for option in options]
    return Plc([sys.executable, "-m", "demo.plc.server", "--port", str(port), *words], log=folder / "plc.log")


def by_node_opcua(port: int, folder: Path, *files: Path) -> Plc:
    """Return a running server; what it makes up is written into a folder. files: its certificate and key.

    Raises:
        NotInstalled: there is no npm, or no way to its registry.

    """
    modules = npm.folder_of(npm.OPCUA) / "node_modules"
    command = ["node", str(HERE / "server.cjs"), str(port), str(folder / "pki"), *map(str, files)]
    return Plc(command, log=folder / "plc.log", environment={"NODE_PATH": str(modules)})

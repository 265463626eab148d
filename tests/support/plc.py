"""The press of demo/plc, which may end and come back."""

from contextlib import AbstractContextManager
from pathlib import Path

from demo.plc.process import DONE, by_asyncua
from demo.plc.server import URI
from lab.opcua import certify


class Press:
    """asyncua's server on a port of this machine; its one user is `line`, whose password is `a secret`."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self._folder = folder
        self.start(*certify(folder, "server", URI))

    def start(self, certificate: Path, key: Path) -> None:
        """Start it, and wait until it answers."""
        self.certificate = certificate
        options = ("--certificate", certificate, "--key", key, "--user", "line:a secret")
        self._plc = by_asyncua(self.port, self._folder, *options)

    def turn(self, line: str) -> None:
        """Turn a value, such as `oil 81`, and wait until the server has it."""
        assert self._plc.turn(line) == DONE

    def kill(self) -> None:
        """End it at once."""
        self._plc.kill()

    def frozen(self) -> AbstractContextManager[None]:
        """Have it stand still; its port stays open."""
        return self._plc.frozen()

"""OPC UA servers that end, stand still and come back: how long a gateway is without values, and what it misses.

After each outage a value is another one than before, once, at the moment at which the server answers again.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.stack import emulator
from demo.plc.process import Plc, by_asyncua, by_node_opcua
from demo.plc.server import NAMESPACE, TAGS, URI
from lab.gateway.certificates import certify
from lab.gateway.reader import Reader, reading

MOST_S: Final = 5.0
GIVEN_UP_S: Final = 60.0
BEGUN_S: Final = 30.0
AWAY_S: Final = 2.0

OIL: Final = f"nsu={NAMESPACE};s={TAGS['oil'].node}"
FIRST: Final = 100
CONFIGURATION: Final = """
[andon]
url = "https://api.example"
token_file = "token"
[[source]]
name = "line"
kind = "opcua"
url = "opc.tcp://127.0.0.1:{port}"
security = "Basic256Sha256, SignAndEncrypt"
trust = ["trusted.der"]
certificate = "gateway.der"
key = "gateway.pem"
publish = "100ms"
[[machine]]
id = "press"
source = "line"
values = {{ oil = "{oil}" }}
states = [{{ is = "NORMAL" }}]
"""

Start = Callable[[int, Path, Path, Path], Plc]
"""Runs a server on a port, with a folder for what it makes up, a certificate and its key."""

SERVERS: Final[dict[str, Start]] = {
    "node-opcua": by_node_opcua,
    "asyncua": lambda port, folder, *files: by_asyncua(
        port, folder, "--certificate", files[0], "--key", files[1], "--user", "nobody:nothing"
    ),
}


class Outage(NamedTuple):
    """Result of an outage. without_s: from the server's answering to the new value; None: it never came."""

    server: str
    kind: str
    without_s: float | None


class Bench:
    """A server that a gateway reads; each outage leaves a value that it did not have before."""

    def __init__(self, start: Start, folder: Path, reader: Reader, port: int, files: tuple[Path, Path]) -> None:
        """Start the server."""
        self._start = start
        self._folder = folder
        self._reader = reader
        self._port = port
        self._files = files
        self._number = FIRST
        self.plc = self._started()

    def killed(self) -> float:
        """Kill the server, and start it again."""
        self.plc.kill()
        time.sleep(AWAY_S)
        self.plc = self._started()
        return time.monotonic()

    def restarted(self) -> float:
        """Have the server say goodbye, and start it again at once."""
        self.plc.end()
        self.plc = self._started()
        return time.monotonic()

    def exchanged(self) -> float:
        """Kill the server, and start it with another certificate, which is trusted by then."""
        self.plc.kill()
        self._files = certify(self._folder, f"server {self._number}", URI)
        (self._folder / "trusted.der").write_bytes(self._files[0].read_bytes())
        self.plc = self._started()
        return time.monotonic()

    def frozen(self, seconds: float) -> float:
        """Have the server stand still."""
        with self.plc.frozen():
            time.sleep(seconds)
        return time.monotonic()

    def without_s(self, outage: Callable[[], float]) -> float | None:
        """Return the seconds from the end of an outage until the server's value came; None: it never came."""
        answered_s = outage()
        self._number += 1
        self.plc.turn(f"oil {self._number}")
        return time.monotonic() - answered_s if self.comes(GIVEN_UP_S) else None

    def comes(self, within_s: float) -> bool:
        """Return True if the value that was turned to comes."""
        return self._reader.eventually(lambda: self._reader.values.get(OIL) == self._number, within_s=within_s)

    def _started(self) -> Plc:
        return self._start(self._port, self._folder, *self._files)


@contextmanager
def bench(start: Start) -> Iterator[Bench]:
    """Run a server and a gateway's source that reads it over an encrypted channel."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), emulator.free_port()
        files = certify(folder, "server", URI)
        certify(folder, "gateway", "urn:andon:gateway:bench")
        (folder / "trusted.der").write_bytes(files[0].read_bytes())
        file = folder / "gateway.toml"
        file.write_text(CONFIGURATION.format(port=port, oil=OIL))
        with reading(file) as reader:
            made = Bench(start, folder, reader, port, files)
            try:
                made.plc.turn(f"oil {FIRST}")
                if not made.comes(BEGUN_S):
                    raise TimeoutError(f"no value from {start}: {reader.source.trouble}")
                yield made
            finally:
                made.plc.kill()


def outages(server: str, rounds: int) -> Iterator[Outage]:
    """Yield all kinds of outages of a server, again and again."""
    with bench(SERVERS[server]) as made:
        kinds: dict[str, Callable[[], float]] = {
            "killed": made.killed,
            "restarted": made.restarted,
            "another certificate": made.exchanged,
            "frozen 3 s": lambda: made.frozen(3),
            "frozen 8 s": lambda: made.frozen(8),
            "frozen 12 s": lambda: made.frozen(12),
        }
        for _ in range(rounds):
            for kind, outage in kinds.items():
                yield Outage(server, kind, made.without_s(outage))

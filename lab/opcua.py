"""A gateway that reads OPC UA: servers that end, stand still and come back; and a million reports that nobody takes.

After each outage a value is another one than before, once, at the moment at which the server answers again.
"""

import http.client
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from andon.testing.proving.prover import Record
from andon.testing.proving.world import LivingWorld
from andon.tools.percentile import percentile
from andon.tools.stack import emulator
from andon.tools.stack.processes import eventually
from andon_gateway.config import read
from andon_gateway.states import Report
from andon_gateway.store import Store
from andon_gateway.testing.opcua_press import NAMESPACE, TAGS, URI, Plc, by_asyncua, certify
from andon_gateway.testing.reader import Reader, reading
from demo.plc.process import by_node_opcua
from lab.gateway_process import FIRST_MS, STORE

_MOST_S: Final = 5.0
_GIVEN_UP_S: Final = 60.0
_BEGUN_S: Final = 30.0
_AWAY_S: Final = 2.0

_MACHINES: Final = 200
_REPORTS: Final = 1_000_000
_ADDED_AT_ONCE: Final = 1000
_BATCH: Final = 100
_BATCHES: Final = 200
_UP_S: Final = 60.0
_RUNS_S: Final = 10.0
_MEMORY_MB: Final = 60
_DISK_MIB: Final = 100
_BATCH_MS: Final = 5

_OIL: Final = f"nsu={NAMESPACE};s={TAGS['oil'].node}"
_FIRST: Final = 100
_SECURED: Final = """
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
_PLAIN: Final = """
[andon]
url = "http://127.0.0.1:9"
token_file = "token"
store = "reports.db"
clock_is_right = true
health_port = {health_port}
[[source]]
name = "line"
kind = "opcua"
url = "opc.tcp://127.0.0.1:{port}"
security = "None"
[[machine]]
id = "press"
source = "line"
values = {{ oil = "{oil}" }}
states = [{{ is = "NORMAL" }}]
"""

_Start = Callable[[int, Path, Path, Path], Plc]
"""Runs a server on a port, with a folder for what it makes up, a certificate and its key."""

_SERVERS: Final[dict[str, _Start]] = {
    "node-opcua": by_node_opcua,
    "asyncua": lambda port, folder, *files: by_asyncua(
        port, folder, "--certificate", files[0], "--key", files[1], "--user", "nobody:nothing"
    ),
}


def prove_outages(_: LivingWorld, __: Random, record: Record) -> None:
    """Have servers go through all kinds of outages."""
    for server, start in _SERVERS.items():
        with _bench(start) as made:
            kinds: dict[str, Callable[[], float]] = {
                "killed": made.killed,
                "restarted": made.restarted,
                "another certificate": made.exchanged,
                "frozen 3 s": lambda: made.frozen(3),
                "frozen 8 s": lambda: made.frozen(8),
                "frozen 12 s": lambda: made.frozen(12),
            }
            for kind, outage in kinds.items():
                judge_outage(f"{server}, {kind}", made.without_s(outage), record)


def judge_outage(kind: str, without_s: float | None, record: Record) -> None:
    """Record the seconds until a value of a moment came."""
    said = f"{kind}: " + ("the value of then never came" if without_s is None else f"after {without_s:.2f} s")
    record.note(said)
    record.expect(f"the value of then comes within {_MOST_S:g} s", without_s is not None and without_s <= _MOST_S, said)


def prove_backlog(_: LivingWorld, __: Random, record: Record) -> None:
    """Have a million reports wait."""
    judge_backlog(_backlog(_REPORTS), record)


class Backlog(NamedTuple):
    """Cost of a backlog; memory_mb: resident, while it reads. batch_ms: median and slowest of many."""

    memory_mb: float
    disk_mib: float
    batch_ms: tuple[float, float]


def judge_backlog(found: Backlog, record: Record) -> None:
    """Record what a backlog costs."""
    median_ms, slowest_ms = found.batch_ms
    record.note(f"{found.memory_mb:.0f} MB of memory, {found.disk_mib:.0f} MiB on disk")
    record.note(f"a batch is read in {median_ms:.1f} ms, the slowest in {slowest_ms:.1f} ms")
    record.expect(f"at most {_MEMORY_MB} MB of memory", found.memory_mb <= _MEMORY_MB, found)
    record.expect(f"at most {_DISK_MIB} MiB on disk", found.disk_mib <= _DISK_MIB, found)
    record.expect(f"a batch is read within {_BATCH_MS} ms", median_ms <= _BATCH_MS, found)


class _Bench:
    """A server that a gateway reads; each outage leaves a value that it did not have before."""

    def __init__(self, start: _Start, folder: Path, reader: Reader, port: int, files: tuple[Path, Path]) -> None:
        """_Start the server."""
        self._start = start
        self._folder = folder
        self._reader = reader
        self._port = port
        self._files = files
        self._number = _FIRST
        self.plc = self._started()

    def killed(self) -> float:
        """Kill the server, and start it again."""
        self.plc.kill()
        time.sleep(_AWAY_S)
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
        return time.monotonic() - answered_s if self.comes(_GIVEN_UP_S) else None

    def comes(self, within_s: float) -> bool:
        """Return True if the value that was turned to comes."""
        return self._reader.until(lambda: self._reader.values.get(_OIL) == self._number, within_s=within_s)

    def _started(self) -> Plc:
        return self._start(self._port, self._folder, *self._files)


@contextmanager
def _bench(start: _Start) -> Iterator[_Bench]:
    """Run a server and a gateway's source that reads it over an encrypted channel."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), emulator.free_port()
        files = certify(folder, "server", URI)
        certify(folder, "gateway", "urn:andon:gateway:lab")
        (folder / "trusted.der").write_bytes(files[0].read_bytes())
        file = folder / "gateway.toml"
        file.write_text(_SECURED.format(port=port, oil=_OIL))
        with reading(read(file)) as reader:
            made = _Bench(start, folder, reader, port, files)
            try:
                made.plc.turn(f"oil {_FIRST}")
                if not made.comes(_BEGUN_S):
                    raise TimeoutError(f"no value from {start}: {reader.source.trouble}")
                yield made
            finally:
                made.plc.kill()


def _backlog(count: int) -> Backlog:
    """Return the cost of `count` waiting reports to a gateway."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times_ms = _filled(folder, count)
        disk = sum(file.stat().st_size for file in folder.glob(f"{STORE}*"))
        return Backlog(_memory_mb(folder), disk / 2**20, (percentile(times_ms, 0.5), max(times_ms)))


def _filled(folder: Path, count: int) -> list[float]:
    """Fill a store; return the milliseconds of reading a batch, again and again."""
    store = Store(folder / STORE, capacity=count + _MACHINES)
    for first in range(0, count, _ADDED_AT_ONCE):
        some = range(first, min(first + _ADDED_AT_ONCE, count))
        store.add([(f"machine-{one % _MACHINES}", Report("WARNING1", FIRST_MS + one, "oil at 81 °C")) for one in some])
    times_ms: list[float] = []
    for _ in range(_BATCHES):
        began_s = time.perf_counter()
        store.oldest(_BATCH)
        times_ms.append((time.perf_counter() - began_s) * 1000)
    store.close()
    return times_ms


def _memory_mb(folder: Path) -> float:
    """Run the gateway until values have come for a while; return its memory."""
    port, health_port = emulator.free_port(), emulator.free_port()
    (folder / "gateway.toml").write_text(_PLAIN.format(port=port, health_port=health_port, oil=_OIL))
    (folder / "token").write_text("nobody's")
    plc = by_asyncua(port, folder)
    command = [sys.executable, "-m", "andon_gateway.cli", "run", str(folder / "gateway.toml")]
    with subprocess.Popen(command) as gateway:
        try:
            if not eventually(lambda: 'source_up{source="line"} 1' in _metrics(health_port), within_s=_UP_S):
                raise TimeoutError("no value came")
            time.sleep(_RUNS_S)
            [resident_kib] = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{gateway.pid}/status").read_text())
            return int(resident_kib) * 1024 / 1e6
        finally:
            gateway.terminate()
            plc.kill()


def _metrics(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()
    except OSError:
        return ""
    finally:
        connection.close()

"""A gateway that reads OPC UA while nobody takes its reports: its memory, its disk, and how soon a batch is read."""

import http.client
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.percentile import percentile
from andon.tools.stack import emulator
from andon.tools.stack.processes import eventually
from andon_gateway.states import Report
from andon_gateway.store import Store
from demo.plc.process import by_asyncua
from demo.plc.server import NAMESPACE, TAGS

MACHINES: Final = 200
ADDED_AT_ONCE: Final = 1000
BATCH: Final = 100
BATCHES: Final = 200
UP_S: Final = 60.0
RUNS_S: Final = 10.0
FIRST_MS: Final = 1_790_000_000_000

CONFIGURATION: Final = """
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
values = {{ oil = "nsu={namespace};s={oil}" }}
states = [{{ is = "NORMAL" }}]
"""


class Backlog(NamedTuple):
    """Cost of a backlog; memory_mb: resident, while it reads. batch_ms: median and slowest of BATCHES."""

    memory_mb: float
    disk_mib: float
    batch_ms: tuple[float, float]


def backlog(count: int) -> Backlog:
    """Return the cost of `count` waiting reports to a gateway."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times_ms = filled(folder, count)
        disk = sum(file.stat().st_size for file in folder.glob("reports.db*"))
        return Backlog(_memory_mb(folder), disk / 2**20, (percentile(times_ms, 0.5), max(times_ms)))


def filled(folder: Path, count: int) -> list[float]:
    """Fill a store; return the milliseconds of reading a batch, again and again."""
    store = Store(folder / "reports.db", capacity=count + MACHINES)
    for first in range(0, count, ADDED_AT_ONCE):
        some = range(first, min(first + ADDED_AT_ONCE, count))
        store.add([(f"machine-{one % MACHINES}", Report("WARNING1", FIRST_MS + one, "oil at 81 °C")) for one in some])
    times_ms: list[float] = []
    for _ in range(BATCHES):
        began_s = time.perf_counter()
        store.oldest(BATCH)
        times_ms.append((time.perf_counter() - began_s) * 1000)
    store.close()
    return times_ms


def _memory_mb(folder: Path) -> float:
    """Run the gateway until values have come for a while; return its memory."""
    port, health_port = emulator.free_port(), emulator.free_port()
    names = {"port": port, "health_port": health_port, "namespace": NAMESPACE, "oil": TAGS["oil"].node}
    (folder / "gateway.toml").write_text(CONFIGURATION.format(**names))
    (folder / "token").write_text("nobody's")
    plc = by_asyncua(port, folder)
    command = [sys.executable, "-m", "andon_gateway.cli", "run", str(folder / "gateway.toml")]
    with subprocess.Popen(command) as gateway:
        try:
            if not eventually(lambda: 'source_up{source="line"} 1' in _metrics(health_port), within_s=UP_S):
                raise TimeoutError("no value came")
            time.sleep(RUNS_S)
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

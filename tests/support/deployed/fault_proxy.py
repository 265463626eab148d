"""A proxy between our clients and the emulator that breaks what goes through it, see `breaking_proxy`."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from andon.project import project
from andon.tools.stack import emulator, processes
from andon.tools.stack.errors import ToolFailed
from tests.support.deployed.breaking_proxy import COUNTS

BOOT_S: Final = 60
STOP_S: Final = 5
PROCESS: Final = "tests.support.deployed.breaking_proxy"


@dataclass(frozen=True, slots=True)
class FaultProxy:
    """A proxy that runs."""

    url: str
    upstream: str

    def fired(self) -> Mapping[str, int]:
        """Count what was done to requests, by kind."""
        return self._ask("GET")

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Let every write fail."""
        self._ask("PUT")
        try:
            yield
        finally:
            self._ask("DELETE")

    def _ask(self, method: str) -> Mapping[str, int]:
        request = urllib.request.Request(f"{self.url}{COUNTS}", method=method)  # noqa: S310  our own
        with urllib.request.urlopen(request, timeout=BOOT_S) as answer:  # noqa: S310
            counts: Mapping[str, int] = json.load(answer)
            return counts


@contextmanager
def fault_proxy(upstream: str, folder: Path) -> Iterator[FaultProxy]:
    """Run a proxy in front of `upstream`; it breaks what handlers ask for, and nothing else."""
    port = emulator.free_port()
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  fixed arguments
            [sys.executable, "-m", PROCESS, str(port), str(urlsplit(upstream).port)],
            cwd=project().root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(("library", "."))},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    proxy = FaultProxy(f"http://{emulator.HOST}:{port}", upstream)
    try:
        if not processes.eventually(lambda: _answers(proxy), within_s=BOOT_S):
            raise ToolFailed(f"the fault proxy does not answer:\n{processes.tail(folder / 'proxy.log')}")
        yield proxy
    finally:
        processes.end_group(process.pid, process, grace_s=STOP_S)


def _answers(proxy: FaultProxy) -> bool:
    try:
        proxy.fired()
    except OSError:
        return False
    return True

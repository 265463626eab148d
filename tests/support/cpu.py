"""CPU time of an emulator and its Lambda workers; on Linux only, elsewhere nothing is found."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

PROC = Path("/proc")


def cpu_ms_of(endpoint: str) -> float:
    """Return the milliseconds so far of all processes that belong to the emulator at an endpoint."""
    mark = f"GATEWAY_PORT={urlsplit(endpoint).port}\0".encode()  # in the environment of each
    return sum(_ticks_of_processes(mark)) * 1000 / os.sysconf("SC_CLK_TCK")


def _ticks_of_processes(mark: bytes) -> Iterator[int]:
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):  # somebody else's, or it has ended
            if mark in (process / "environ").read_bytes():
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                yield int(fields[11]) + int(fields[12])  # user and system, see proc(5)

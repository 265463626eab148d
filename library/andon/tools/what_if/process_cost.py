"""The CPU time that this process has taken, and the most memory that it has held."""

import os
import resource
import sys
from pathlib import Path
from typing import Final, NamedTuple

_STATUS: Final = Path("/proc/self/status")


class ProcessCost(NamedTuple):
    """CPU of all threads (seconds), and memory."""

    cpu_s: float
    peak_bytes: int


def own_cost() -> ProcessCost:
    """Return that of this process since it began."""
    return ProcessCost(sum(os.times()[:2]), peak_bytes())


def peak_bytes() -> int:
    """Return the most memory that this process has held.

    Linux counts it since the program began. `getrusage` began with the parent's.
    """
    if _STATUS.exists():
        (peak,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

"""The emulator's Lambda workers, as far as this run started them."""

import os
import signal
import subprocess
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Final

from andon.tools.stack import processes

MARK: Final = "ministack-lambda-"  # in the path of the script that each runs


def started_here() -> list[int]:
    """List the workers that descend from this process: nobody else's is ever ended."""
    children = defaultdict(list)
    for pid, parent in _parents():
        children[parent].append(pid)
    found, left = [], [os.getpid()]
    while left:
        below = children[left.pop()]
        found += below
        left += below
    return [pid for pid in found if MARK in processes.command_line(pid)]


def kill(pid: int) -> None:
    """End a worker as a crash does."""
    with suppress(ProcessLookupError):  # it has just ended by itself
        os.kill(pid, signal.SIGKILL)


def _parents() -> list[tuple[int, int]]:
    """List each process with its parent."""
    if not Path("/proc/self/stat").exists():  # macOS
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
        return [(int(pid), int(parent)) for pid, parent in map(str.split, listed.splitlines())]
    pairs = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = stat.read_text(errors="replace")
            pairs.append((int(stat.parent.name), int(text.rpartition(")")[2].split()[1])))
    return pairs

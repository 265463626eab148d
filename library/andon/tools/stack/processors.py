"""On which processors the emulator runs: on one, and its workers on all.

Of the threads of a Python process one runs at a time. If they are on several processors, the lock is handed from one to
the other at each request, and waiting for it costs a third of what the stack does in a second.
"""

import os
import sys


def keep_to_one() -> None:
    """Keep this process to one processor, and the processes that it starts until they are freed."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def free(pid: int) -> None:
    """Let another process run on all."""
    if sys.platform == "linux":
        os.sched_setaffinity(pid, range(os.cpu_count() or 1))

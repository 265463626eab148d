"""A client process: for each line `{"work", "batch"}` it does that work once and prints its CPU in microseconds.

It counts all threads. Making the batches is not counted, for on Lambda they come from outside.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TextIO

from bench.workload import Workload

Work = Callable[[], None]
Prepare = Callable[[Workload, int], Work]
"""The workload and the size of a batch -> the work, which can be done again and again."""


def serve(works: Mapping[str, Prepare]) -> None:
    """Do what standard input asks for, until it ends; the workload is the file that the command line ends with."""
    workload: Workload = json.loads(Path(sys.argv[-1]).read_text())

    @cache
    def prepared(work: str, batch: int) -> Work:
        return works[work](workload, batch)

    responses = _silence_stdout()
    for line in sys.stdin:
        do = prepared(**json.loads(line))
        started = time.process_time_ns()
        do()
        print((time.process_time_ns() - started) / 1000, file=responses, flush=True)


def _silence_stdout() -> TextIO:
    """Return standard output, and let what handlers log go nowhere."""
    responses = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return responses

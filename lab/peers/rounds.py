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
from typing import Any, Final

from lab.workload import Workload, batches, split

Event = dict[str, Any]
Handler = Callable[[Event], object]

EVENTS: Final[Mapping[str, Callable[[Workload, int], list[Event]]]] = {  # by work, in batches of a size
    "listener": lambda workload, size: batches(workload["messages"], size),
    "trigger": lambda workload, size: [{"Records": records} for records in split(workload["records"], size)],
    "put state": lambda workload, _: workload["put_state"],
    "get logs": lambda workload, _: workload["get_logs"],
    "sweep": lambda _, size: [{}] * size,
}


def serve(handler_of: Callable[[str], Handler]) -> None:
    """Do what standard input asks for, until it ends; the workload is the file that the command line ends with."""
    workload: Workload = json.loads(Path(sys.argv[-1]).read_text())

    @cache
    def prepared(work: str, batch: int) -> tuple[Handler, list[Event]]:
        return handler_of(work), EVENTS[work](workload, batch)

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what handlers log goes nowhere
    for line in sys.stdin:
        handler, events = prepared(**json.loads(line))
        started = time.process_time_ns()
        for event in events:
            handler(event)
        print((time.process_time_ns() - started) / 1000, file=answers, flush=True)

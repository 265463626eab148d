"""An episode, from first warning to back to normal, played on a deployed stack.

Machines, factory and people belong to the run: whatever else is reported on this stack is about others.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from andon.project import project
from andon.runtime import clock
from andon.tools.stack.stack import Stack
from demo.scenario import ApiAnswer, Played, ScenarioCall, play

SWEEP: Final = re.compile("services/[^/]+/sweep")  # the archive's comes once an hour
STORY: Final = project().root / "events" / "scenarios" / "episode.jsonl"

WITHIN_S: Final = 120
POLL_S: Final = 0.5


def live_through(stack: Stack, *, run: int) -> Iterator[Played]:
    """Make the calls of the episode; what is due is swept at once, so that nobody has to wait for the next minute.

    Raises:
        Failed: an answer is another one than the story's.
    """
    deadline, sweeping = time.monotonic() + WITHIN_S, sweeps(stack)

    def send(call: ScenarioCall) -> ApiAnswer:
        answer = stack.api(call.role, call.user).request(call.method, call.path, call.body)
        return ApiAnswer(answer.status, answer.json)

    def wait() -> bool:
        for name in sweeping:
            stack.client("lambda").invoke(FunctionName=name, Payload=b"{}")
        time.sleep(POLL_S)
        return time.monotonic() < deadline

    return play(STORY.read_text(), run=run, send=send, wait=wait, now_ms=clock.now_ms)


def sweeps(stack: Stack) -> list[str]:
    """Return the names of the functions that the schedule invokes each minute; their descriptions name the handler."""
    return [one["FunctionName"] for one in _functions(stack) if SWEEP.fullmatch(one["Description"])]


def run_of(scratch: Path) -> int:
    """Return the number of this run on the emulator with this `scratch` folder; the first is 1."""
    noted = scratch / "episodes"
    run = int(noted.read_text()) + 1 if noted.exists() else 1
    noted.write_text(str(run))
    return run


def _functions(stack: Stack) -> Iterator[dict[str, Any]]:
    for page in stack.client("lambda").get_paginator("list_functions").paginate():
        yield from page["Functions"]

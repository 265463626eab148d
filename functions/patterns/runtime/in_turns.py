"""Tasks that take turns in one thread: while one waits for a response, the others go on.

Each runs as a greenlet, so that its code is written as if it were alone.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from greenlet import getcurrent, greenlet

from patterns.runtime.curl import CONNECTIONS, SELECT_SECONDS, Handle, Request, Response

# Tasks under way at once: each has a socket, and more requests would wait for the CPU, not for the network.
AT_ONCE: Final = 32

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Pause:
    """What a task waits for that goes on at a time of `time.monotonic`."""

    until: float


class _Task(greenlet):
    """A task of `run_in_turns`; whoever started it goes on when it waits, and when it ends."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._others = getcurrent()
        super().__init__(do)
        self.gr_context = copy_context()

    def wait_for(self, awaited: Handle | _Pause) -> Any:  # noqa: ANN401  a `Response`, or None after a pause
        """Let the others go on until it has come."""
        return self._others.switch(awaited)


def exchange(request: Request) -> Response:
    """Send a request and return what came back; meanwhile the other tasks go on."""
    task = getcurrent()
    if not isinstance(task, _Task):
        return CONNECTIONS.send(request)
    response: Response = task.wait_for(CONNECTIONS.begin(request))
    return response


def pause(seconds: float) -> None:
    """Wait; meanwhile the other tasks go on."""
    task = getcurrent()
    if isinstance(task, _Task):
        task.wait_for(_Pause(time.monotonic() + seconds))
    else:
        time.sleep(seconds)


def run_in_turns(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run tasks that raise nothing; return their results. What a task runs so itself does not take turns."""
    if isinstance(getcurrent(), _Task):
        return [do() for do in tasks]
    waiting, running = _Waiting(), [_Task(do) for do in tasks]
    results: dict[_Task, Any] = {}
    try:
        for task in running:
            while len(waiting) >= AT_ONCE:
                results |= waiting.go_on()
            results[task] = waiting.next_of(task)
        while waiting:
            results |= waiting.go_on()
    except BaseException:  # the process is to end, or is stopped: nothing that was begun may go on behind its back
        waiting.give_up()
        raise
    return [results[task] for task in running]


@dataclass(slots=True)
class _Waiting:
    """The tasks that wait: for a response, or for a time of `time.monotonic`."""

    responses: dict[Handle, _Task] = field(default_factory=dict)
    pauses: list[tuple[float, _Task]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.responses) + len(self.pauses)

    def go_on(self) -> dict[_Task, Any]:
        """Wait until some may go on, and let them; return the results of those that ended, None of the others."""
        return {task: self.next_of(task, response) for task, response in self._over()}

    def next_of(self, task: _Task, response: Response | None = None) -> Any:  # noqa: ANN401  a task's result is any
        """Let a task go on until it waits again, or ends: then return its result."""
        awaited = task.switch() if response is None else task.switch(response)
        if task.dead:
            return awaited
        if isinstance(awaited, _Pause):
            self.pauses.append((awaited.until, task))
        else:
            self.responses[awaited] = task
        return None

    def _over(self) -> list[tuple[_Task, Response | None]]:
        """Wait until some may go on; return them, each with the response that it waited for."""
        seconds = min((until for until, _ in self.pauses), default=math.inf) - time.monotonic()
        if seconds > 0 and self.responses:
            ended = CONNECTIONS.ended(within_seconds=min(seconds, SELECT_SECONDS))
            return [(self.responses.pop(handle), response) for handle, response in ended]
        time.sleep(max(0, seconds))
        return self._past_their_pause()

    def _past_their_pause(self) -> list[tuple[_Task, Response | None]]:
        now = time.monotonic()
        over = [task for until, task in self.pauses if until <= now]
        self.pauses = [(until, task) for until, task in self.pauses if until > now]
        return [(task, None) for task in over]

    def give_up(self) -> None:
        """End all tasks that wait, and forget what they wait for."""
        for handle in self.responses:
            CONNECTIONS.give_up(handle)
        for task in [*self.responses.values(), *(task for _, task in self.pauses)]:
            task.throw()

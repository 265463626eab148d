"""Tasks that take turns in one thread: while one waits for a response, the others go on.

Each runs as a greenlet, so that its code is written as if it were alone.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any, Final, NamedTuple, TypeVar

from greenlet import getcurrent, greenlet

from patterns.runtime.curl import CONNECTIONS, SELECT_SECONDS, Handle, Request, Response

# Tasks under way at once: each has a socket, and more requests would wait for the CPU, not for the network.
AT_ONCE: Final = 32

Result = TypeVar("Result")


class _Pause(NamedTuple):
    """What a task waits for that goes on at a time of `time.monotonic`."""

    until: float


class _Worker(greenlet):
    """Does one task after another; when its task waits or ends, whoever runs them all goes on.

    number, result: those of its task. Workers are kept: to make one costs as much as all else of a task that waits.
    """

    def __init__(self) -> None:
        self._others = getcurrent()
        self.number, self.result = 0, None
        super().__init__(self._work)

    def _work(self, do: Callable[[], Any]) -> None:
        while True:
            self.result = do()
            do = self._others.switch(None)  # it waits for nothing: its task has ended

    def wait_for(self, awaited: Handle | _Pause) -> Any:  # noqa: ANN401  a `Response`, or None after a pause
        """Let the others go on until it has come."""
        return self._others.switch(awaited)


class _Idle(threading.local):
    """The workers of a thread that have nothing to do."""

    def __init__(self) -> None:
        self.workers: list[_Worker] = []


_IDLE: Final = _Idle()


def exchange(request: Request) -> Response:
    """Send a request and return what came back; meanwhile the other tasks go on."""
    worker = getcurrent()
    if not isinstance(worker, _Worker):
        return CONNECTIONS.send(request)
    response: Response = worker.wait_for(CONNECTIONS.begin(request))
    return response


def pause(seconds: float) -> None:
    """Wait; meanwhile the other tasks go on."""
    worker = getcurrent()
    if isinstance(worker, _Worker):
        worker.wait_for(_Pause(time.monotonic() + seconds))
    else:
        time.sleep(seconds)


def run_in_turns(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run tasks that raise nothing; return their results. What a task runs so itself does not take turns."""
    if len(tasks) == 1 or isinstance(getcurrent(), _Worker):
        return [do() for do in tasks]
    turns = _Turns(len(tasks))
    try:
        for number, do in enumerate(tasks):
            while turns.under_way >= AT_ONCE:
                turns.go_on()
            turns.begin(number, do)
        while turns.under_way:
            turns.go_on()
    except BaseException:  # the process is to end, or is stopped: nothing that was begun may go on behind its back
        turns.give_up()
        raise
    return turns.results


class _Turns:
    """The results of tasks, and the workers that wait: for a response, or for a time of `time.monotonic`."""

    def __init__(self, tasks: int) -> None:
        self.results: list[Any] = [None] * tasks
        self._responses: dict[Handle, _Worker] = {}
        self._pauses: list[tuple[float, _Worker]] = []

    @property
    def under_way(self) -> int:
        """How many tasks wait."""
        return len(self._responses) + len(self._pauses)

    def begin(self, number: int, do: Callable[[], Any]) -> None:
        """Begin a task, and go on with it until it waits or ends."""
        worker = _IDLE.workers.pop() if _IDLE.workers else _Worker()
        worker.gr_context = copy_context()
        worker.number = number
        self._note(worker, worker.switch(do))

    def go_on(self) -> None:
        """Wait until some may go on, and let them."""
        for worker, response in self._over():
            self._note(worker, worker.switch(response))

    def _note(self, worker: _Worker, awaited: _Pause | Handle | None) -> None:
        """Note what a task waits for, or the result of one that has ended."""
        if awaited is None:
            self.results[worker.number] = worker.result
            _IDLE.workers.append(worker)
        elif isinstance(awaited, _Pause):
            self._pauses.append((awaited.until, worker))
        else:
            self._responses[awaited] = worker

    def _over(self) -> list[tuple[_Worker, Response | None]]:
        """Wait until some may go on; return them, each with the response that it waited for."""
        seconds = min((until for until, _ in self._pauses), default=math.inf) - time.monotonic()
        if seconds > 0 and self._responses:
            ended = CONNECTIONS.ended(within_seconds=min(seconds, SELECT_SECONDS))
            return [(self._responses.pop(handle), response) for handle, response in ended]
        time.sleep(max(0, seconds))
        return self._past_their_pause()

    def _past_their_pause(self) -> list[tuple[_Worker, Response | None]]:
        now = time.monotonic()
        over = [worker for until, worker in self._pauses if until <= now]
        self._pauses = [(until, worker) for until, worker in self._pauses if until > now]
        return [(worker, None) for worker in over]

    def give_up(self) -> None:
        """End all tasks that wait, and forget what they wait for."""
        for handle in self._responses:
            CONNECTIONS.give_up(handle)
        for worker in [*self._responses.values(), *(worker for _, worker in self._pauses)]:
            worker.throw()

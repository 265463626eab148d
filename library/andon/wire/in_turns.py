"""Tasks that take turns in one thread: while one waits for a response, the others go on.

Each runs as a greenlet, so that its code is written as if it were alone.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any, Final, NamedTuple, TypeVar

from greenlet import getcurrent, greenlet

from andon.wire.curl import CONNECTIONS, SELECT_SECONDS, Handle, Request, Response

# Tasks under way at once: each has a socket, and more requests would wait for the CPU, not for the network.
AT_ONCE: Final = 32

Result = TypeVar("Result")


class _Pause(NamedTuple):
    """A wait until a time of `time.monotonic`."""

    until: float


class _Worker(greenlet):
    """Does tasks until none is left; while one waits, its starter goes on.

    Workers are kept: to make one costs as much as all else of a task that waits.
    """

    def __init__(self) -> None:
        self._others = getcurrent()
        super().__init__(self._work)

    def _work(self, turns: "_Turns") -> None:
        while True:
            turns.do_those_left()
            turns = self._others.switch(None)  # it waits for nothing: no task is left

    def wait_for(self, awaited: Handle | _Pause) -> Any:  # noqa: ANN401  a `Response`, or None after a pause
        """Let the others go on until it has come."""
        return self._others.switch(awaited)


class _Idle(threading.local):
    """The workers of a thread that have nothing to do."""

    def __init__(self) -> None:
        self.workers: list[_Worker] = []


_IDLE: Final = _Idle()


def exchange(request: Request) -> Response:
    """Send a request and return the response; meanwhile the other tasks go on."""
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
    """Run tasks that raise nothing; return their results. A task's own calls of this take no turns."""
    if len(tasks) == 1 or isinstance(getcurrent(), _Worker):
        return [do() for do in tasks]
    turns = _Turns(tasks)
    try:
        turns.run()
    except BaseException:  # the process is to end, or is stopped: nothing that was begun may go on behind its back
        turns.give_up()
        raise
    return turns.results


class _Turns:
    """The tasks that are not begun, the results of those that are, and the workers that wait.

    They wait for a response, or for a time of `time.monotonic`.
    """

    def __init__(self, tasks: Sequence[Callable[[], Any]]) -> None:
        self.results: list[Any] = [None] * len(tasks)
        self._left = deque(enumerate(tasks))
        self._responses: dict[Handle, _Worker] = {}
        self._pauses: list[tuple[float, _Worker]] = []

    def run(self) -> None:
        """Begin as many tasks as may be under way, and go on with them until all have ended."""
        while self._left and self._under_way < AT_ONCE:
            worker = _IDLE.workers.pop() if _IDLE.workers else _Worker()
            worker.gr_context = copy_context()
            self._note(worker, worker.switch(self))
        while self._under_way:
            for worker, response in self._over():
                self._note(worker, worker.switch(response))

    def do_those_left(self) -> None:
        """Do tasks until none is left to begin; called by each worker."""
        while self._left:
            number, do = self._left.popleft()
            self.results[number] = do()

    @property
    def _under_way(self) -> int:
        """The number of tasks that wait."""
        return len(self._responses) + len(self._pauses)

    def _note(self, worker: _Worker, awaited: _Pause | Handle | None) -> None:
        """Note the wait of a worker; None: it has nothing more to do."""
        if awaited is None:
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
        """End all tasks that wait, and their requests."""
        for handle in self._responses:
            CONNECTIONS.give_up(handle)
        for worker in [*self._responses.values(), *(worker for _, worker in self._pauses)]:
            worker.throw()

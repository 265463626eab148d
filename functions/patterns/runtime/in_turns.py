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


class _Done(NamedTuple):
    """That a task has ended."""

    result: Any


class _Worker(greenlet):
    """Does one task after another; when its task waits or ends, whoever runs them all goes on.

    Workers are kept: to make one costs as much as all else of a task that waits once.
    """

    def __init__(self) -> None:
        self._others = getcurrent()
        super().__init__(self._work)

    def _work(self, do: Callable[[], Any]) -> None:
        while True:
            do = self._others.switch(_Done(do()))

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
    if isinstance(getcurrent(), _Worker):
        return [do() for do in tasks]
    turns, results = _Turns(), dict[int, Any]()
    try:
        for number, do in enumerate(tasks):
            while len(turns) >= AT_ONCE:
                results |= turns.go_on()
            results |= turns.begin(number, do)
        while turns:
            results |= turns.go_on()
    except BaseException:  # the process is to end, or is stopped: nothing that was begun may go on behind its back
        turns.give_up()
        raise
    return [results[number] for number in range(len(tasks))]


class _Turn(NamedTuple):
    """A task under way: its number, and who does it."""

    number: int
    worker: _Worker


class _Turns:
    """The tasks that wait: for a response, or for a time of `time.monotonic`."""

    def __init__(self) -> None:
        self.responses: dict[Handle, _Turn] = {}
        self.pauses: list[tuple[float, _Turn]] = []

    def __len__(self) -> int:
        return len(self.responses) + len(self.pauses)

    def begin(self, number: int, do: Callable[[], Any]) -> dict[int, Any]:
        """Begin a task; return its result under its number if it has ended already."""
        worker = _IDLE.workers.pop() if _IDLE.workers else _Worker()
        worker.gr_context = copy_context()
        return self._after(_Turn(number, worker), worker.switch(do))

    def go_on(self) -> dict[int, Any]:
        """Wait until some may go on, and let them; return the results of those that ended."""
        results: dict[int, Any] = {}
        for turn, response in self._over():
            results |= self._after(turn, turn.worker.switch(response))
        return results

    def _after(self, turn: _Turn, came: _Done | _Pause | Handle) -> dict[int, Any]:
        """Note what a task waits for; return its result if it has ended."""
        match came:
            case _Done(result):
                _IDLE.workers.append(turn.worker)
                return {turn.number: result}
            case _Pause(until):
                self.pauses.append((until, turn))
            case _:
                self.responses[came] = turn
        return {}

    def _over(self) -> list[tuple[_Turn, Response | None]]:
        """Wait until some may go on; return them, each with the response that it waited for."""
        seconds = min((until for until, _ in self.pauses), default=math.inf) - time.monotonic()
        if seconds > 0 and self.responses:
            ended = CONNECTIONS.ended(within_seconds=min(seconds, SELECT_SECONDS))
            return [(self.responses.pop(handle), response) for handle, response in ended]
        time.sleep(max(0, seconds))
        return self._past_their_pause()

    def _past_their_pause(self) -> list[tuple[_Turn, Response | None]]:
        now = time.monotonic()
        over = [turn for until, turn in self.pauses if until <= now]
        self.pauses = [(until, turn) for until, turn in self.pauses if until > now]
        return [(turn, None) for turn in over]

    def give_up(self) -> None:
        """End all tasks that wait, and forget what they wait for."""
        for handle in self.responses:
            CONNECTIONS.give_up(handle)
        for turn in [*self.responses.values(), *(turn for _, turn in self.pauses)]:
            turn.worker.throw()

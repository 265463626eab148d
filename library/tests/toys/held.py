"""Runs a function up to its next call to DynamoDB, and on from there, so that a test decides who goes on when."""

from collections.abc import Callable
from threading import Semaphore, Thread, current_thread
from typing import Any
from unittest.mock import patch

from andon.wire import aws


class Killed(BaseException):
    """The process ended here; no handler of ours gets to see it."""


class Held:
    """A function in a thread of its own, which is held before each call to DynamoDB.

    call: the operation and the parameters of the call that comes next, None once the function has ended. result, error:
    how it ended.
    """

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do
        self._killed = False
        self._go, self._held = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._run, daemon=True)
        self.call: tuple[str, dict[str, Any]] | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        _HELD[self._thread] = self
        if len(_HELD) == 1:
            _PATCH.start()
        self._thread.start()
        self._held.acquire()

    def go_on(self) -> None:
        """Let it make the call, and run up to the next one or to its end."""
        self.call = None
        self._go.release()
        self._held.acquire()

    def kill(self) -> None:
        """End it before the call that it is held at."""
        self._killed = True
        if self.call is not None:
            self.go_on()

    def hold(self, operation: str, request: dict[str, Any]) -> None:
        """Wait before a call until the test lets it go on."""
        self.call = ("".join(word.capitalize() for word in operation.split("_")), request)
        self._held.release()
        self._go.acquire()
        if self._killed:
            raise Killed

    def _run(self) -> None:
        try:
            self.result = self._do()
        except (Exception, Killed) as error:  # noqa: BLE001  the test looks at it
            self.error = error
        finally:
            del _HELD[self._thread]
            if not _HELD:
                _PATCH.stop()
            self._held.release()


_HELD: dict[Thread, Held] = {}
_call = aws.call


def _call_held(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  requests are any JSON
    held = _HELD.get(current_thread())
    if service == "dynamodb" and held:
        held.hold(operation, request)
    return _call(service, operation, **request)


_PATCH = patch.object(aws, "call", _call_held)

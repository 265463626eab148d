"""Runs a function up to its next call to DynamoDB, and on from there, so that a test decides who goes on when."""

from collections.abc import Callable
from threading import Semaphore, Thread, current_thread
from typing import Any

from andon.wire import aws

CALL = "provide-client-params.dynamodb"


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
        aws.client("dynamodb").meta.events.register(CALL, self._hold)
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

    def _hold(self, params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401  botocore's
        if current_thread() is not self._thread:
            return
        self.call = (model.name, params)
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
            aws.client("dynamodb").meta.events.unregister(CALL, self._hold)
            self._held.release()

"""The time after which no attempt of a request begins: a call that would end too late fails and is not retried."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar, cast

from andon.runtime import clock
from andon.runtime.errors import CallFailed

if TYPE_CHECKING:
    from andon.runtime.lambda_context import LambdaContext

# An attempt gives up when it is not connected, or not done, for so long.
CONNECT_SECONDS: Final = 2
READ_SECONDS: Final = 6
ATTEMPT_MS: Final = (CONNECT_SECONDS + READ_SECONDS) * 1000

# Left of an invocation for an attempt that begins last, and for its log line.
LAST_MS: Final = 1_000

# The code of a request that would begin too late.
TOO_LATE: Final = "BegunTooLate"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_BEGUN_BY_MS: Final[ContextVar[int | None]] = ContextVar("_BEGUN_BY_MS", default=None)


@contextmanager
def begun_by(at_ms: int) -> Iterator[None]:
    """Begin no attempt of a request later than a time (epoch milliseconds), nor than an outer one.

    So the last one has ended `ATTEMPT_MS` after that time.
    """
    outer = _BEGUN_BY_MS.get()
    before = _BEGUN_BY_MS.set(at_ms if outer is None else min(at_ms, outer))
    try:
        yield
    finally:
        _BEGUN_BY_MS.reset(before)


def in_time(handle: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Begin no attempt in the last second of an invocation; its context is the last argument without a name."""

    @wraps(handle)
    def handle_in_time(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        left_ms = cast("LambdaContext", arguments[-1]).get_remaining_time_in_millis()
        with begun_by(clock.now_ms() + left_ms - LAST_MS):
            return handle(*arguments, **named)

    return handle_in_time


def require_in_time(in_seconds: float = 0) -> None:
    """Raise `CallFailed` if an attempt, the first or a retry, would begin too late."""
    by_ms = _BEGUN_BY_MS.get()
    if by_ms is not None and clock.now_ms() + in_seconds * 1000 > by_ms:
        raise CallFailed(TOO_LATE)

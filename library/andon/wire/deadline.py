"""The time after which no attempt of a request begins: a call that would end too late fails and is not retried."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Final, NamedTuple, ParamSpec, TypeVar, cast

from andon.runtime import clock
from andon.runtime.errors import CallFailed

if TYPE_CHECKING:
    from andon.runtime.lambda_context import LambdaContext

# An attempt gives up when it is not connected, or not done, for so long.
CONNECT_SECONDS: Final = 2
READ_SECONDS: Final = 6
ATTEMPT_MS: Final = (CONNECT_SECONDS + READ_SECONDS) * 1000

# The same while a client waits: four of them fit into the ten seconds of a function that responds.
CLIENT_ATTEMPT_MS: Final = 2_000

# Left of an invocation for what is done when the last attempt has been given up: a response, and a log line.
RESPONSE_MS: Final = 500

# Left of an invocation for an attempt that begins last, and for its log line.
LAST_MS: Final = 1_000

# The code of a request that would begin too late.
TOO_LATE: Final = "BegunTooLate"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class _Limits(NamedTuple):
    """Limits of attempts: when they have begun and ended (epoch milliseconds), None if ever; their length, if set."""

    begun_by_ms: int | None = None
    ended_by_ms: int | None = None
    longest_ms: int | None = None

    @property
    def most_ms(self) -> int:
        """The longest time that an attempt may take, whenever it begins."""
        return self.longest_ms or ATTEMPT_MS


_LIMITS: Final[ContextVar[_Limits]] = ContextVar("_LIMITS", default=_Limits())  # noqa: B039  nothing changes it


@contextmanager
def begun_by(at_ms: int) -> Iterator[None]:
    """Begin no attempt of a request later than a time (epoch milliseconds), nor than an outer one.

    So the last one has ended `ATTEMPT_MS` after that time.
    """
    outer = _LIMITS.get()
    before = _LIMITS.set(_Limits(_earlier(at_ms, outer.begun_by_ms), outer.ended_by_ms, outer.longest_ms))
    try:
        yield
    finally:
        _LIMITS.reset(before)


def in_time(handle: Callable[Parameters, Result], *, attempt_ms: int | None = None) -> Callable[Parameters, Result]:
    """Begin no attempt in the last second of an invocation, and let none outlast it.

    Its context is the last argument without a name. attempt_ms: instead of `ATTEMPT_MS`.
    """

    @wraps(handle)
    def handle_in_time(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        left_ms = cast("LambdaContext", arguments[-1]).get_remaining_time_in_millis()
        ends_ms = clock.now_ms() + left_ms
        begun_by_ms = _earlier(ends_ms - LAST_MS, _LIMITS.get().begun_by_ms)
        before = _LIMITS.set(_Limits(begun_by_ms, ends_ms - RESPONSE_MS, attempt_ms))
        try:
            return handle(*arguments, **named)
        finally:
            _LIMITS.reset(before)

    return handle_in_time


def longest_ms() -> int:
    """Return the longest time that an attempt may take, whenever it begins."""
    return _LIMITS.get().most_ms


def time_of_attempt_ms() -> int:
    """Return the longest time that an attempt may take which begins now: no longer than is left of the invocation."""
    limits = _LIMITS.get()
    if limits.ended_by_ms is None:
        return limits.most_ms
    return max(1, min(limits.most_ms, limits.ended_by_ms - clock.now_ms()))


def require_in_time(in_seconds: float = 0) -> None:
    """Raise `CallFailed` if an attempt, the first or a retry, would begin too late."""
    by_ms = _LIMITS.get().begun_by_ms
    if by_ms is not None and clock.now_ms() + in_seconds * 1000 > by_ms:
        raise CallFailed(TOO_LATE)


def _earlier(at_ms: int, outer: int | None) -> int:
    return at_ms if outer is None else min(at_ms, outer)

"""The time after which no attempt of a request begins: what would end too late fails instead of being retried."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from patterns.runtime import clock
from patterns.runtime.errors import CallFailed

# An attempt gives up when it is not connected, or not done, for so long.
CONNECT_SECONDS: Final = 2
READ_SECONDS: Final = 6
ATTEMPT_MS: Final = (CONNECT_SECONDS + READ_SECONDS) * 1000

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


def require_in_time() -> None:
    """Raise `CallFailed` if an attempt, the first or a retry, would begin too late."""
    by_ms = _BEGUN_BY_MS.get()
    if by_ms is not None and clock.now_ms() > by_ms:
        raise CallFailed("BegunTooLate")

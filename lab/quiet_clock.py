"""The time of a run in memory, in which handlers log nothing: the world of provers that need no more of one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from andon.runtime import clock, log
from andon.testing.proving.world import Faultless

START_MS: Final = 1_588_032_000_000


@dataclass(slots=True)
class Now(Faultless):
    """The time, in epoch milliseconds; it goes on by `step_ms` whenever somebody looks."""

    ms: int = START_MS
    step_ms: int = 0

    def look(self) -> int:
        """Return the time."""
        self.ms += self.step_ms
        return self.ms

    def wait(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self.ms += round(seconds * 1000)


@contextmanager
def quiet_clock(*, step_ms: int = 0) -> Iterator[Now]:
    """Let handlers have the time of the run, and log nothing."""
    now, real, wait, write = Now(step_ms=step_ms), clock.now_ms, clock.wait, log.write
    clock.now_ms, clock.wait = now.look, now.wait
    log.write = lambda line: None  # noqa: ARG005  its name is part of the type
    try:
        yield now
    finally:
        clock.now_ms, clock.wait, log.write = real, wait, write


def clock_alone(*_: object, **__: object) -> AbstractContextManager[Any]:
    """Open a world that is a clock, which goes on by a millisecond whenever somebody looks: see `Prover`."""
    return quiet_clock(step_ms=1)

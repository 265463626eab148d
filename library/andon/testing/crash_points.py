"""Breaks code at every call to AWS that it makes; the calls are counted, so that no test has to list them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final, TypeVar

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonObject
from andon.testing.above_retries import Pass, between
from andon.testing.memory.hook import Call

SERVICES: Final = ("dynamodb", "events")

T = TypeVar("T")


class Killed(BaseException):
    """The process ended here; no handler of ours catches it."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """An interruption of a call (BEFORE, AFTER AWS has done it): the process ends, or gets no answer."""

    when: str
    killed: bool

    def __str__(self) -> str:
        return f"{'killed' if self.killed else 'unanswered'} {self.when}"

    def error(self) -> BaseException:
        """Return the error to raise; the retries lie below, so that this is not retried."""
        return Killed() if self.killed else CallFailed("ConnectionClosedError")


BEFORE, AFTER = "before-call", "after-call"
INTERRUPTIONS: Final = (
    Interruption(BEFORE, killed=True),
    Interruption(AFTER, killed=True),
    Interruption(AFTER, killed=False),
)


@dataclass(slots=True)
class Breaking:
    """Breaks call `number`, counted from 1 over everything that is watched; `broken` is its operation, once made."""

    interruption: Interruption
    number: int
    broken: str | None = None
    services: tuple[str, ...] = SERVICES
    _made: int = field(default=0, init=False)

    @classmethod
    def nothing(cls) -> "Breaking":
        """Return a `Breaking` that breaks no call."""
        return cls(INTERRUPTIONS[0], 0)

    def __str__(self) -> str:
        return f"{self.interruption} at call {self.number}"

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count the calls that are made meanwhile, and break the one."""
        with _watched(self.interruption.when, self._count, self.services):
            yield

    def interrupt(self, do: Callable[[], T]) -> T | None:
        """Return the result of `do`; None if it was killed."""
        try:
            with self.watching():
                return do()
        except Killed:
            return None

    def insist(self, do: Callable[[], object]) -> None:
        """Do it, and if that was broken, once more: Lambda delivers again, upon any error."""
        try:
            with self.watching():
                do()
        except (Killed, Exception):  # noqa: BLE001  see above
            do()

    def _count(self, operation: str) -> None:
        self._made += 1
        if self._made == self.number:
            self.broken = operation
            raise self.interruption.error()


def broken_at_every_call(
    interruption: Interruption, run: Callable[[Breaking], T], *, services: tuple[str, ...] = SERVICES
) -> Iterator[tuple[Breaking, T]]:
    """Run again and again, each time broken one call later, until a run makes no such call to these services."""
    for number in count(1):
        breaking = Breaking(interruption, number, services=services)
        result = run(breaking)
        if breaking.broken is None:
            return
        yield breaking, result


def calls_of(do: Callable[[], object], *, services: tuple[str, ...] = SERVICES) -> list[str]:
    """Return the operations of these services that `do` calls."""
    calls: list[str] = []
    with _watched(AFTER, calls.append, services):
        do()
    return calls


@contextmanager
def intruding(number: int, do: Callable[[], object]) -> Iterator[list[str]]:
    """Do something just before a call, counted from 1; yield the calls."""
    calls, intruded = list[str](), list[bool]()

    def call(made: Call, make: Pass) -> JsonObject:
        if not intruded:
            calls.append(made.operation)
        if len(calls) == number and not intruded:
            intruded.append(True)
            do()
        return make()

    with between(call):
        yield calls


@contextmanager
def _watched(when: str, tell: Callable[[str], None], services: tuple[str, ...] = SERVICES) -> Iterator[None]:
    """Call `tell` with the operation at each call, above all retries."""

    def call(made: Call, make: Pass) -> JsonObject:
        if made.service not in services:
            return make()
        if when == BEFORE:
            tell(made.operation)
            return make()
        try:
            return make()
        finally:
            tell(made.operation)  # an error is an answer, too

    with between(call):
        yield

"""Breaks a command at every call to AWS that it makes; the calls are counted, so that none has to be remembered."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import ConnectionClosedError

from patterns.runtime import aws

SERVICES: Final = ("dynamodb", "events")


class Killed(BaseException):
    """The process ended here; no handler of ours gets to see it."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """What happens at a call: `when` it was not yet, or is already done, the process ends, or hears but an error."""

    when: str
    killed: bool

    def __str__(self) -> str:
        return f"{'killed' if self.killed else 'unanswered'} {self.when}"

    def error(self) -> BaseException:
        """Make what is raised. botocore's own retries lie below its hooks: this one it does not try again."""
        return Killed() if self.killed else ConnectionClosedError(endpoint_url="https://dynamodb")


BEFORE, AFTER = "before-call", "after-call"
INTERRUPTIONS: Final = (
    Interruption(BEFORE, killed=True),
    Interruption(AFTER, killed=True),
    Interruption(AFTER, killed=False),
)


@contextmanager
def watched(when: str, do: Callable[[str], None]) -> Iterator[None]:
    """Do something at each call, told its operation."""

    def at(model: Any, **_: object) -> None:  # noqa: ANN401  botocore's
        do(model.name)

    for service in SERVICES:
        aws.client(service).meta.events.register(when, at)
    try:
        yield
    finally:
        for service in SERVICES:
            aws.client(service).meta.events.unregister(when, at)


def calls_of(do: Callable[[], object]) -> list[str]:
    """Do something; list the operations that it called."""
    calls: list[str] = []
    with watched(AFTER, calls.append):
        do()
    return calls


def interrupt(interruption: Interruption, number: int, do: Callable[[], Any]) -> Any:  # noqa: ANN401  what `do` gives
    """Do something that is interrupted at its call `number`, counted from 1; give what it gives, None if killed."""
    made = 0

    def at(_: str) -> None:
        nonlocal made
        made += 1
        if made == number:
            raise interruption.error()

    with watched(interruption.when, at):
        try:
            return do()
        except Killed:
            return None

"""The one broad `except` of a batch: a task that fails is a value, and its neighbours do not suffer."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar, TypeVarTuple

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class Failed(NamedTuple):
    """The exception of a failed task."""

    error: Exception


def tried(task: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result | Failed:
    """Return the result of a task, or its failure."""
    try:
        return task(*arguments)
    except Exception as error:  # noqa: BLE001  whatever it is, the neighbours must not suffer; the caller accounts for it
        return Failed(error)


def require_all(results: Iterable[Result | Failed]) -> list[Result]:
    """Return the results of several tasks.

    Raises:
        Exception: the first that a task raised.

    """
    required = []
    for one in results:
        if isinstance(one, Failed):
            raise one.error
        required.append(one)
    return required

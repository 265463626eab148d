"""How a route is limited to its caller's places, said where it is declared: `HttpApi.serves(…, at=…)`.

A route that says nothing is for callers who are everywhere: what was forgotten is closed.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from andon.http.places import ALWAYS, Places, Stay, names_of

EVERYWHERE_ONLY: Final = "This is for callers who are limited to no place."


class At:
    """The way in which a route is limited to its caller's places; this one: the function itself decides, by its rows.

    reads: DynamoDB's actions on the table of `Project.whereabouts` that it takes. argument: of the function, by which
    it is decided before the function is called.
    """

    __slots__ = ("argument", "reads")

    def __init__(self, argument: str | None = None, *, reads: tuple[str, ...] = ()) -> None:
        self.argument = argument
        self.reads = reads

    def require(self, places: Places, arguments: Mapping[str, Any]) -> Stay:
        """Check that a caller may call the route with these arguments; return the place of their subject.

        Raises:
            Forbidden: it may not.

        """
        raise NotImplementedError


class OfPlace(At):
    """The argument is the name of the place itself."""

    __slots__ = ()

    def __init__(self, argument: str) -> None:
        super().__init__(argument)

    def require(self, places: Places, arguments: Mapping[str, Any]) -> Stay:
        """See `At`."""
        stay = Stay(names_of((arguments[str(self.argument)],)))
        stay.require_at(places)
        return stay


class OfSubject(At):
    """The argument is a subject. Its owner says where it is, by `found`; without, a view does, by one read.

    time: the argument with a time (fixed-width UTC) that the route is about; it must not be another owner's.
    """

    __slots__ = ("_found", "_time")

    def __init__(self, argument: str, found: Callable[[str], Stay] | None = None, *, time: str = "") -> None:
        super().__init__(argument, reads=() if found else ("GetItem",))
        self._found, self._time = found or found_by_view, time

    def require(self, places: Places, arguments: Mapping[str, Any]) -> Stay:
        """See `At`."""
        stay = self._found(arguments[str(self.argument)])
        stay.require_at(places, arguments[self._time] if self._time else ALWAYS)
        return stay


def found_by_view(subject: str) -> Stay:
    """Return the place of a subject, as a view says it; nowhere, if nobody knows."""
    from andon.http.whereabouts import stay_of  # noqa: PLC0415  callers who are everywhere need no such import

    return stay_of(subject)


IN_FUNCTION: Final = At()

BY_ROWS: Final = At(reads=("BatchGetItem", "GetItem"))
"""The function leaves out rows of subjects that are elsewhere, see `rows_at`."""

"""How a route is limited to its caller's places, said where it is declared: `HttpApi.serves(…, at=…)`.

A route that says nothing is for callers who are everywhere: what was forgotten is closed.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from andon.http.places import Places, names_of

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

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """Check that a caller may call the route with these arguments.

        Raises:
            Forbidden: it may not.

        """


class OfPlace(At):
    """The argument is the name of the place itself."""

    __slots__ = ()

    def __init__(self, argument: str) -> None:
        super().__init__(argument)

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """See `At`."""
        places.require(names_of((arguments[str(self.argument)],)))


class OfSubject(At):
    """The argument is a subject. Its owner says where it is, by `found`; without, a view does, by one read."""

    __slots__ = ("_found",)

    def __init__(self, argument: str, found: Callable[[str], frozenset[str]] | None = None) -> None:
        super().__init__(argument, reads=() if found else ("GetItem",))
        self._found = found or found_by_view

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """See `At`."""
        places.require(self._found(arguments[str(self.argument)]))


def found_by_view(subject: str) -> frozenset[str]:
    """Return the names of the places that a subject is at, as a view says it; none, if nobody knows."""
    from andon.http.whereabouts import whereabouts_of  # noqa: PLC0415  callers who are everywhere need no such import

    return whereabouts_of(subject)


IN_FUNCTION: Final = At()

BY_ROWS: Final = At(reads=("BatchGetItem", "GetItem"))
"""The function leaves out rows of subjects that are elsewhere, see `rows_at`."""

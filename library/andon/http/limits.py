"""How a route is limited to its caller's places, said where it is declared: `HttpApi.serves(…, at=…)`.

A route that says nothing is for callers who are everywhere: what was forgotten is closed.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from andon.http.places import Places, names_of

EVERYWHERE_ONLY: Final = "This is for callers who are limited to no place."


class At(Protocol):
    """The way in which a route is limited to its caller's places.

    reads: DynamoDB's actions on the table of `Project.whereabouts` that it takes. argument: of the function, by which
    it is decided before the function is called; None: the function decides.
    """

    @property
    def reads(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def argument(self) -> str | None: ...  # noqa: D102
    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """Check that a caller may call the route with these arguments.

        Raises:
            Forbidden: it may not.

        """


class OfPlace(NamedTuple):
    """The argument is the name of the place itself."""

    argument: str
    reads: tuple[str, ...] = ()

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """See `At`."""
        places.require(names_of((arguments[self.argument],)))


class OfSubject(NamedTuple):
    """The argument is a subject. Its owner says where it is, by `found`; without, a view does, by one read."""

    argument: str
    found: Callable[[str], frozenset[str]] | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """See `At`."""
        return () if self.found else ("GetItem",)

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """See `At`."""
        places.require((self.found or _found_by_view)(arguments[self.argument]))


class InFunction(NamedTuple):
    """The function itself decides, by the rows that it reads or writes anyway."""

    reads: tuple[str, ...] = ()

    @property
    def argument(self) -> None:
        """See `At`."""

    def require(self, places: Places, arguments: Mapping[str, Any]) -> None:
        """See `At`."""


IN_FUNCTION: Final = InFunction()

BY_ROWS: Final = InFunction(reads=("BatchGetItem", "GetItem"))
"""The function leaves out rows of subjects that are elsewhere, see `rows_at`."""


def _found_by_view(subject: str) -> frozenset[str]:
    from andon.http.whereabouts import whereabouts_of  # noqa: PLC0415  callers who are everywhere need no such import

    return whereabouts_of(subject)

"""Routes near a request that no route answers, as a person mistypes one. Pure."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final

NAMED: Final = 3
"""So many routes are named."""

ALIKE: Final = 0.6
"""From this ratio on, a path is like another one; 1 is the same."""


def words_for(method: str, path: str, routes: Iterable[str]) -> str | None:
    """Return the message about a request that no route answers; None: one does.

    path: without its query. routes: as `GET /things/{id}`.
    """
    known = sorted(routes)
    if any(_is(path, of_path) for of_method, of_path in map(_parts, known) if of_method == method):
        return None
    there = [route for route in known if _is(path, _parts(route)[1])]
    near = there or _nearest(path, known)
    words = f"there is no route {method} {path}"
    return f"{words}; there is {', '.join(near)}" if near else words


def _parts(route: str) -> Sequence[str]:
    method, _, path = route.partition(" ")
    return method, path


def _is(path: str, template: str) -> bool:
    """Return True if a path is one of a template, as `/things/lamp` of `/things/{id}`."""
    return _filled(template, path) == path and "//" not in path


def _filled(template: str, path: str) -> str:
    """Return a template with the parts of a path in the place of its own ones."""
    pairs = zip_longest(template.split("/"), path.split("/"), fillvalue="")
    filled = [typed if own.startswith("{") and typed else own for own, typed in pairs]
    return "/".join(filled[: template.count("/") + 1])


def _nearest(path: str, routes: Iterable[str]) -> list[str]:
    """Return the routes whose paths are most like one, the nearest first."""
    ratios = {route: SequenceMatcher(None, _filled(_parts(route)[1], path), path).ratio() for route in routes}
    return sorted((route for route in ratios if ratios[route] >= ALIKE), key=lambda route: -ratios[route])[:NAMED]

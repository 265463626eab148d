"""Tables of `docs/versioning.md`: how each service declares that what it keeps is versioned, and who lives by what."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from andon.packages.discovery import services
from andon.versions.aggregate import DESIGNS, Aggregate, Design, Identity, Tolerance

NOBODY: Final = "nobody yet"

WORDS: Final = {"design": "versions", "identity": "an id", "tolerates": "tolerated"}
"""Part of a declaration -> what the page calls it."""

COLUMNS: Final = ("service", "aggregate", "design", "its id is", "revised", "read", "tolerated", "data", "expires")


class DeclaredAggregate(NamedTuple):
    """An aggregate of a service."""

    service: str
    kind: str
    of: Aggregate


def of_versioning() -> dict[str, str]:
    """Return the tables by their names in pages."""
    declared = [
        DeclaredAggregate(package.name, kind, of) for package in services() for kind, of in package.aggregates.items()
    ]
    lives = [(statement, _named(one for one in declared if holds(one.of))) for statement, holds in _statements()]
    return {
        "aggregates": _table(COLUMNS, map(_cells, declared)),
        "designsLived": _table(("statement", "lives by it"), lives),
    }


def _statements() -> Iterator[tuple[str, Callable[[Aggregate], bool]]]:
    """Yield what a declaration may say, and the aggregates that say so."""
    tolerated = [one for one in Tolerance if one is not Tolerance.NOTHING]
    parts: tuple[tuple[str, Iterable[object]], ...] = (
        ("design", DESIGNS),
        ("identity", Identity),
        ("tolerates", tolerated),
    )
    for part, values in parts:
        for value in values:
            said = value.title if isinstance(value, Design) else str(value)
            yield f"{WORDS[part]}: {said}", partial(_says, part, value)
    yield "expires, although numbers or fences stand on it", lambda of: bool(of.open_until or of.lives_with)


def _says(part: str, value: object, of: Aggregate) -> bool:
    return getattr(of, part) is value


def _named(found: Iterable[DeclaredAggregate]) -> str:
    by_service: dict[str, list[str]] = {}
    for one in found:
        by_service.setdefault(one.service, []).append(one.kind)
    return "; ".join(f"`{service}`: {', '.join(kinds)}" for service, kinds in by_service.items()) or NOBODY


def _cells(one: DeclaredAggregate) -> tuple[str, ...]:
    of = one.of
    bounds = {"its id is open until": of.open_until, "with its": of.lives_with}
    lasts = "; ".join(["yes" if of.expires else "no", *(f"{by} {what}" for by, what in bounds.items() if what)])
    said = (of.design.title, of.identity, of.revised, of.read, of.tolerates, of.speed, lasts)
    return (f"`{one.service}`", one.kind, *map(str, said))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *map(tuple, rows)]
    return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"

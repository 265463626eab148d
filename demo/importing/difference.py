"""A factory as it is, and its sheets -> the writes that bring it there. Pure. Nothing is ever taken away."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from demo.importing.sheets import Row

NEW: Final = "new"


def differing(current: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> list[str]:
    """Return the members that are to change, sorted; `NEW` alone if nothing is there yet."""
    if current is None:
        return [NEW]
    return sorted(name for name, value in wanted.items() if current.get(name) != value)


def joined(there: Iterable[Mapping[str, Any]], rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    """Return a list of the catalog with the rows of its sheet: what is there in its order, then what is new."""
    wanted = {row.id: row.body for row in rows}
    kept = [wanted.pop(one["id"], one) for one in there]
    return [*kept, *wanted.values()]

"""The differences between the rows of a view's two versions, and if they can go away by themselves. Pure.

Each oplock of a row names the newest event that the row has seen of a kind. With other events in two rows it is no
wonder that they differ: one listener is ahead of the other. With the same events, one of them keeps something else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import is_alive
from andon.views.oplocked_fields import OPLOCK
from andon.views.view_update import ABOUT

REBUILT: Final = "rebuilt"  # the mark of a row that came back from the lake and has not lived since

Key = tuple[str, ...]


class DifferenceKind(Enum):
    """Why two rows differ."""

    BEHIND = "has not seen all the events that the row before has"
    AHEAD = "has seen events that the row before has not"
    DIFFERENT = "says something else of the same events"


class Field(NamedTuple):
    """An attribute that differs; None: the row does not have it."""

    name: str
    before: Any
    after: Any


class RowDifference(NamedTuple):
    """A row that differs; `before` or `after` is None if only the other version has it."""

    key: Key
    kind: DifferenceKind
    fields: tuple[Field, ...]
    before: Item | None
    after: Item | None

    @property
    def oplocks(self) -> Mapping[str, tuple[str | None, str | None]]:
        """The oplocks of both rows: name -> the order before, the order after."""
        before, after = _oplocks(self.before), _oplocks(self.after)
        return {name: (before.get(name), after.get(name)) for name in sorted(before.keys() | after.keys())}


class Compared(NamedTuple):
    """The result of a comparison: the rows of the version before, those of the next, and those that differ.

    outdated: how many differ besides, for earlier code wrote them.
    """

    before: int
    after: int
    differences: tuple[RowDifference, ...]
    outdated: int = 0


def compare(
    before: Iterable[Item],
    after: Iterable[Item],
    *,
    names: tuple[str, ...],
    as_before: Callable[[Item], Item | None],
    expires: bool,
    now_ms: int,
) -> Compared:
    """Compare all rows that live, by their key before.

    names: of the key's attributes before. expires: whether the ttl of a row follows from its events; that of a row of
    slow data follows from when it was written, so that it may differ.
    """
    ignored = {REBUILT} if expires else {REBUILT, ttl.ATTRIBUTE}
    was = dict(_by_key(before, names, now_ms))
    translated = (as_before(dict(row)) for row in after if is_alive(row, now_ms))
    now = dict(_by_key((row for row in translated if row is not None), names, now_ms))
    found = (_difference(key, was.get(key), now.get(key), ignored) for key in sorted(was.keys() | now.keys()))
    return Compared(len(was), len(now), tuple(difference for difference in found if difference))


def event_id(order: str) -> str:
    """Return the id of the event that an order names: behind its times, and its origin if it has one."""
    times = 2 if order.startswith(ABOUT) else 1
    return order.removeprefix(ABOUT).split("#", times)[times]


def _by_key(rows: Iterable[Item], names: tuple[str, ...], now_ms: int) -> Iterator[tuple[Key, Item]]:
    return ((tuple(str(row[name]) for name in names), row) for row in rows if is_alive(row, now_ms))


def _difference(key: Key, before: Item | None, after: Item | None, ignored: set[str]) -> RowDifference | None:
    one, other = before or {}, after or {}
    differing = [name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]
    fields = tuple(Field(name, one.get(name), other.get(name)) for name in differing if name not in ignored)
    if not fields:
        return None
    shown = tuple(field for field in fields if not field.name.startswith(OPLOCK))
    return RowDifference(key, _kind(_oplocks(before), _oplocks(after)), shown, before, after)


def _kind(before: Mapping[str, str], after: Mapping[str, str]) -> DifferenceKind:
    if before == after:
        return DifferenceKind.DIFFERENT
    lacks = any(order > after.get(name, "") for name, order in before.items())
    return DifferenceKind.BEHIND if lacks else DifferenceKind.AHEAD


def _oplocks(row: Item | None) -> dict[str, str]:
    return {name.removeprefix(OPLOCK): order for name, order in (row or {}).items() if name.startswith(OPLOCK)}

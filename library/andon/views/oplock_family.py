"""A bounded family of oplocks: one for each name that somebody else chooses, of which the newest are kept.

A name that comes from outside, as a state's, may be any of very many, and a row has 400 KB. Whatever the order of
arrival, the rows are the same: the newest of a union are the newest among the newest of its parts.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.views.row_store import RowStore

OPLOCK: Final = "oplock#"

ATTEMPTS: Final = 5
# An expression has at most 4 KB. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
AT_ONCE: Final = 50


class OplockFamily(NamedTuple):
    """The oplocks whose names begin with `prefix`; each guards the one attribute that is called as it is.

    most: so many are kept, the newest. always: the names of those that are kept besides, however old.
    """

    prefix: str
    most: int
    always: frozenset[str] = frozenset()

    def surplus(self, row: Attributes) -> dict[str, str]:
        """Return the members beyond `most`, the oldest first: name -> order."""
        members = {
            name.removeprefix(OPLOCK): order for name, order in row.items() if name.startswith(f"{OPLOCK}{self.prefix}")
        }
        oldest_first = sorted(members.keys() - self.always, key=members.__getitem__)
        return {name: members[name] for name in oldest_first[: max(0, len(oldest_first) - self.most)]}


def remove_surplus(table: RowStore, key: Attributes, family: OplockFamily, row: Item) -> frozenset[str]:
    """Remove the members beyond the family's bound from a row that was just read; return their names.

    Usually there are none, and no request is made. Each is removed only if it is still what was read. If a crash or
    contention leaves some there, the next event about the row removes them. What another task removed meanwhile is
    gone, too.
    """
    gone: set[str] = set()
    for _ in range(ATTEMPTS):
        surplus = dict(list(family.surplus(row).items())[:AT_ONCE])
        if not surplus:
            break
        try:
            table.update(key, assign={}, remove=_attributes(surplus), condition=_unchanged(surplus))
        except ConditionFailed as failed:
            row = failed.row or {}
            gone |= {name for name in surplus if f"{OPLOCK}{name}" not in row}
        else:
            return frozenset(gone | surplus.keys())
    return frozenset(gone)


def _attributes(members: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(attribute for name in members for attribute in (name, f"{OPLOCK}{name}"))


def _unchanged(members: Mapping[str, str]) -> Condition:
    places = {f"m{number}": name for number, name in enumerate(members)}
    return Condition(
        " AND ".join(f"#{place} = :{place}" for place in places),
        {place: f"{OPLOCK}{name}" for place, name in places.items()},
        {place: members[name] for place, name in places.items()},
    )

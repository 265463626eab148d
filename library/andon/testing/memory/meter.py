"""Units of DynamoDB that requests consume, by table and index.

A write costs units in the table and in each index that has the row and whose copy changes; a write whose condition
fails costs as much as the row that it met.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from andon.dynamodb.attribute_values import Typed
from andon.dynamodb.schema import Keys
from andon.testing.memory.tables import AppliedWrite, MemoryTable, read_units, size_of, write_units


class TableOrIndex(NamedTuple):
    """A table, or an index of it; `index_name` is empty for the table itself."""

    table: str
    index_name: str = ""


@dataclass(slots=True)
class Used:
    """Requests and units of one function.

    writes: units by place and partition key. read_units: by place. entries: of the bus, by their source.
    """

    requests: Counter[str] = field(default_factory=Counter)
    writes: Counter[tuple[TableOrIndex, str]] = field(default_factory=Counter)
    read_units: defaultdict[TableOrIndex, float] = field(default_factory=lambda: defaultdict(float))
    entries: Counter[str] = field(default_factory=Counter)

    @property
    def reads(self) -> float:
        """The read units of all places."""
        return sum(self.read_units.values())

    def by_table(self) -> dict[str, float]:
        """Return all units of each table and its indexes."""
        units: defaultdict[str, float] = defaultdict(float)
        for place, read in self.read_units.items():
            units[place.table] += read
        for (place, _), written in self.writes.items():
            units[place.table] += written
        return dict(units)

    @property
    def write_units(self) -> int:
        """The units of all places."""
        return self.writes.total()


class Meter:
    """Observes tables, and adds up what requests to them cost. stored: bytes by place."""

    def __init__(self) -> None:
        self.used = Used()
        self.stored: Counter[TableOrIndex] = Counter()

    def read(self, table: MemoryTable, index: str, rows: list[Typed], *, consistent: bool) -> None:
        """Count what one read found."""
        self.used.read_units[TableOrIndex(table.name, index)] += read_units(rows, consistent=consistent)

    def refused(self, table: MemoryTable, key: Typed, old: Typed | None) -> None:
        """Count a write whose condition did not hold."""
        self.used.writes[TableOrIndex(table.name), _text(key[table.keys.partition])] += write_units(old, None)

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:
        """Count a write; a transaction's costs the table its units twice, and each index once."""
        key, old, new = write
        self.used.writes[TableOrIndex(table.name), _text(key[table.keys.partition])] += times * write_units(old, new)
        self.stored[TableOrIndex(table.name)] += size_of(new) - size_of(old)
        for name, index in table.schema.indexes.items():
            before, after = (_copied(row, index.keys, index.projects, table.keys) for row in (old, new))
            if before != after:
                self._wrote_index(TableOrIndex(table.name, name), index.keys, before, after)

    def _wrote_index(self, place: TableOrIndex, keys: Keys, before: Typed | None, after: Typed | None) -> None:
        self.stored[place] += size_of(after) - size_of(before)
        if before and after and before[keys.partition] == after[keys.partition]:
            self.used.writes[place, _text(after[keys.partition])] += write_units(before, after)
            return
        for one in filter(None, (before, after)):  # an entry that moves is deleted and put
            self.used.writes[place, _text(one[keys.partition])] += write_units(one, None)


def _copied(row: Typed | None, keys: Keys, projects: tuple[str, ...] | None, table: Keys) -> Typed | None:
    """Return an index's copy of a row; None if the row lacks part of the index's key."""
    if row is None or any(name not in row for name in keys.names):
        return None
    if projects is None:
        return row
    return {name: row[name] for name in {*keys.names, *table.names, *projects} if name in row}


def _text(value: dict[str, str]) -> str:
    return value["S"] if "S" in value else value["N"]

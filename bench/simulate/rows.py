"""The rows of a table in this process, and what its indexes have of them."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict

from andon.dynamodb.attribute_values import Typed
from andon.dynamodb.schema import Keys, TableSchema


class Rows:
    """The rows of a table, by partition and in the order of sort keys."""

    def __init__(self, schema: TableSchema) -> None:
        self.schema = schema
        self.partitions: dict[str, dict[str, Typed]] = defaultdict(dict)
        self.order: dict[str, list[str]] = defaultdict(list)
        self.bytes: Counter[str] = Counter()  # by index, "" for the table: what lies there

    def place(self, row: Typed) -> tuple[str, str]:
        """Return the keys of a row's partition, and of its place in it."""
        keys = self.schema.keys
        return row[keys.partition]["S"], _text(row[keys.sort]) if keys.sort else ""

    def get(self, key: Typed) -> Typed | None:
        """Return the row with a key; None if there is none."""
        partition, sort = self.place(key)
        return self.partitions[partition].get(sort)

    def put(self, key: Typed, row: Typed | None) -> None:
        """Keep a row in the place of the one with its key; None: delete that."""
        partition, sort = self.place(key)
        rows, order = self.partitions[partition], self.order[partition]
        if row is None:
            if rows.pop(sort, None) is not None:
                del order[bisect_left(order, sort)]
            return
        if sort not in rows:
            insort(order, sort)
        rows[sort] = row


def copied(row: Typed | None, keys: Keys, projects: tuple[str, ...] | None, table: Keys) -> Typed | None:
    """Return what an index has of a row; None if it has not all of the index's key."""
    if row is None or any(name not in row for name in keys.names):
        return None
    if projects is None:
        return row
    return {name: row[name] for name in {*keys.names, *table.names, *projects} if name in row}


def partition_of(row: Typed, keys: Keys) -> str:
    """Return the key of the partition in which a row lies."""
    return _text(row[keys.partition])


def _text(value: dict[str, str]) -> str:
    return value["S"] if "S" in value else value["N"]

"""DynamoDB's units for reads and writes of rows.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from math import ceil
from typing import Any, Final

import orjson

from andon.dynamodb.attribute_values import Typed

KB: Final = 1024
READ_KB: Final = 4


def write_units(one: Typed | None, other: Typed | None) -> int:
    """Return the units of a write: one for each KB of the larger of the row before and after."""
    return max(1, ceil(max(size_of(one), size_of(other)) / KB))


def read_units(rows: list[Typed], *, consistent: bool) -> float:
    """Return the units of a read: half of one for each 4 KB, twice that if it is consistent."""
    units = max(1, ceil(sum(map(size_of, rows)) / (READ_KB * KB)))
    return units if consistent else units / 2


def fit(rows: list[Typed], most_bytes: int) -> bool:
    """Return True if rows have at most so many bytes together."""
    # As JSON they have more, which is counted in a fraction of the time.
    return len(orjson.dumps(rows, default=repr)) <= most_bytes or sum(map(size_of, rows)) <= most_bytes


def size_of(row: Typed | None) -> int:
    """Return a row's size in bytes, about as DynamoDB counts: names and values."""
    size = 0
    for name, value in (row or {}).items():
        size += _bytes(name) + _value_size(value)
    return size


def _value_size(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return _bytes(content)
    if kind == "N":
        return len(content) // 2 + 1
    size = 1
    if kind == "M":
        size = 3
        for name, one in content.items():
            size += _bytes(name) + 1 + _value_size(one)
    elif kind == "L":
        size = 3
        for one in content:
            size += 1 + _value_size(one)
    return size


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())

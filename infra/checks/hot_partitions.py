"""Partition keys that would send everybody's writes of a moment to one partition do not synthesise. Pure.

A partition takes 1,000 write units a second, however large the table is:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
"""

import re
from typing import Final

from patterns.dynamodb.schema import TableSchema

# A name is all that is known of a key at synth. It is refused if it says nothing but when, or nothing at all:
# `createdAt`, `event_date`, `type`; `equipmentDay` names a thing, and passes.
_WHEN: Final = (
    "at|changed|created|date|datetime|day|epoch|hour|millis|minute|month|ms|now|quarter|second|time|timestamp|today|ts|"
    "ttl|updated|week|year"
)
_ALWAYS_THE_SAME: Final = "all|const|constant|discriminator|dummy|everything|fixed|global|kind|singleton|static|type"
_SAYS_NOTHING: Final = "end|entity|event|from|iso|key|last|local|of|on|partition|row|start|the|to|utc"
HOT: Final = frozenset(f"{_WHEN}|{_ALWAYS_THE_SAME}".split("|"))
NEUTRAL: Final = frozenset(_SAYS_NOTHING.split("|"))

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def refuse_hot_partitions(table: str, schema: TableSchema) -> None:
    """Refuse a table that, or an index of which, is partitioned by a date or a constant.

    Raises:
        ValueError: it is; with the table or index, and the attribute.

    """
    partitioned = {table: schema.keys} | {
        f"{table}, index {name}": index.keys for name, index in schema.indexes.items()
    }
    for where, keys in partitioned.items():
        if is_hot(keys.partition):
            raise ValueError(
                f"{where}: the partition key {keys.partition!r} is a date or a constant, so that everything written "
                "at a time would go to one partition. Partition by what the rows are about, and sort by the date."
            )


def is_hot(attribute: str) -> bool:
    """Tell whether an attribute, by its name, has one value for everything that is written at a time."""
    words = {word.lower() for word in _WORD.findall(attribute)}
    return bool(words & HOT) and words <= HOT | NEUTRAL

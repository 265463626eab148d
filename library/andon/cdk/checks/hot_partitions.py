"""Refuse partition keys that would send all writes of a moment to one partition. Pure.

A partition takes 1,000 write units a second, however large the table is:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
"""

from typing import Final

from andon.dynamodb.schema import Partition, TableSchema

SPREAD: Final[frozenset[Partition]] = frozenset({"entity", "tenant", "shard"})


def refuse_hot_partitions(table: str, schema: TableSchema) -> None:
    """Refuse a table if it, or one of its indexes, is partitioned by a date or a constant.

    Raises:
        ValueError: it is; with the table or index, and the attribute.

    """
    partitioned = {table: schema.keys} | {
        f"{table}, index {name}": index.keys for name, index in schema.indexes.items()
    }
    for where, keys in partitioned.items():
        if keys.one_partition_per not in SPREAD:
            raise ValueError(
                f"{where}: {keys.partition!r} has one partition per {keys.one_partition_per}, so that everything "
                "written at a time would go to one partition. Partition by what the rows are about and sort by the "
                'date: "entity" if that is one thing, "tenant" if several share the value, as in an index by a place.'
            )

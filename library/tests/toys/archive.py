"""Two tables, as histories are kept in: what is current, with a stream, and revisions whose sort key is the version."""

from contextlib import AbstractContextManager
from typing import Any

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Keys, TableSchema
from andon.testing.crash_points import AFTER, Breaking, Interruption, Killed
from andon.testing.world import World
from andon.versions.versioned_write import Revisions, Versions

KEYS = Keys("pk", "sk", one_partition_per="entity")
BY_VERSION = Keys("pk", "version", sort_type="N", one_partition_per="entity")
CURRENT = Table("CURRENT_TABLE", KEYS)
HISTORY = Table("HISTORY_TABLE", BY_VERSION)


class Archive(World):
    """The two tables."""

    def __init__(self) -> None:
        history = TableSchema(BY_VERSION, expires=False)
        super().__init__({"CURRENT_TABLE": TableSchema(KEYS, stream=True), "HISTORY_TABLE": history})


Crash = Killed


def crash_after(calls: int) -> AbstractContextManager[None]:
    """Let the process end when AWS has done what call number `calls` asks for, before our code gets the answer."""
    return Breaking(Interruption(AFTER, killed=True), calls).watching()


def versions_of(name: str) -> Versions[Any]:
    revisions = Revisions(
        table=HISTORY,
        key_of=lambda version: {"pk": name, "version": version},
        all=KeyQuery(keys=BY_VERSION, partition=name),
        attributes={"kind": "revision"},
    )
    return Versions(table=CURRENT, key={"pk": name, "sk": "-"}, revisions=revisions)

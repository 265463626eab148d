"""Two tables, as histories are kept in: what is current, with a stream, and revisions whose sort key is the version."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Keys, TableSchema
from andon.testing.world import World
from andon.versions.versioned_write import Revisions, Versions
from tests.support.crash_points import AFTER, Breaking, Interruption, Killed

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


Choose = Callable[[list[Any]], Any]
"""Options -> the one that is taken in this run."""


def every_run_of(play: Callable[[Choose], None]) -> int:
    """Play until every option was taken at every choice that ever came up; return the number of runs."""
    plan: list[int] = []
    for runs in count(1):
        taken: list[tuple[int, int]] = []

        def choose(options: list[Any], plan: list[int] = plan, taken: list[tuple[int, int]] = taken) -> Any:  # noqa: ANN401
            option = plan[len(taken)] if len(taken) < len(plan) else 0
            taken.append((option, len(options)))
            return options[option]

        play(choose)
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return runs
        plan = [option for option, _ in taken[:-1]] + [taken[-1][0] + 1]
    raise AssertionError


def versions_of(name: str) -> Versions[Any]:
    revisions = Revisions(
        table=HISTORY,
        key_of=lambda version: {"pk": name, "version": version},
        all=KeyQuery(keys=BY_VERSION, partition=name),
        attributes={"kind": "revision"},
    )
    return Versions(table=CURRENT, key={"pk": name, "sk": "-"}, revisions=revisions)

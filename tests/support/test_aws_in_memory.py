"""The world in memory does what moto does: indexes, transactions, batches, the stream and the bus."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from andon.dynamodb.client import Put, Update, transact
from andon.dynamodb.errors import TransactionConditionsFailed
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.key_query import KeyQuery
from andon.events.publish import publish
from andon.tools.in_process.world import InProcess, frozen_clock
from tests.support.samples import NOW
from toys.things import BY_COLOUR, KEYS, TABLE, VARIABLE, World, WorldInMemory, happened

NAMES, SORTS, COLOURS = ("one", "other"), ("a", "b", "c"), ("red", "blue", None)
STEPS = 60


def played(world: InProcess, seed: int) -> Iterator[object]:
    """Do a series of things, the same for the same seed; return what comes back, and what there is in the end."""
    chance = random.Random(seed)  # noqa: S311  the same at every run
    with world, frozen_clock(NOW):
        for number in range(STEPS):
            yield _step(chance, number)
        publish([happened("painted", "one", id=f"e{seed}")], source="workshop")
        yield [record["eventName"] for record in world.new_records(VARIABLE) if _changes(record)]
        yield [row["n"] for row in world.rows(VARIABLE)]
        yield len(world.new_messages())


def _step(chance: random.Random, number: int) -> object:
    name, another = chance.choice(NAMES), chance.choice(NAMES)
    key = KEYS.of(name, f"{name} {chance.choice(SORTS)}")  # which of two equal sort keys an index has first is not said
    other = KEYS.of(another, f"{another} d")
    colour = chance.choice(COLOURS)
    row = {**key, "n": number} | ({"colour": colour} if colour else {})
    match chance.choice(["put", "delete", "together", "index", "index", "batch"]):
        case "put":
            TABLE.put(row, condition=UNCONDITIONAL)
        case "delete":
            TABLE.delete(key)
        case "together":
            put, update = Put(TABLE, row, TABLE.absent), Update(TABLE, other, {"n": number}, (), UNCONDITIONAL)
            return _together({"put": put, "update": update})
        case "batch":
            return TABLE.get_many([key, other])
        case "index":
            query = KeyQuery(keys=BY_COLOUR, index_name="ByColour", partition="red", forward=chance.random() < 0.5)
            return list(_pages(query, chance.randint(1, 3)))
    return None


def _together(writes: Mapping[str, Put | Update]) -> object:
    try:
        transact(writes)
    except TransactionConditionsFailed as failed:
        return failed.failed
    return None


def _pages(query: KeyQuery, limit: int) -> Iterator[object]:
    start = None
    while True:
        rows = TABLE.query(query, limit=limit, start=start)
        yield from (row["sk"] for row in rows.items)
        start = rows.last_key
        if start is None:
            return


def _changes(record: dict[str, Any]) -> bool:
    """Return whether a record is of a change; moto has others, too, and two of an update that creates a row."""
    images = record["dynamodb"]
    return images.get("OldImage") != images.get("NewImage") and not images["Keys"]["sk"]["S"].endswith("d")


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_done_comes_out_as_on_moto(seed: int) -> None:
    assert list(played(WorldInMemory(), seed)) == list(played(World(), seed))

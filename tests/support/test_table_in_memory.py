"""The stand-in for the dispatch table does what moto does, and refuses what it does not know."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.in_process.world import InProcess
from patterns.dynamodb.attribute_values import to_plain
from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.expressions import UNCONDITIONAL, Condition
from patterns.dynamodb.key_query import BeginsWith, Between, KeyQuery, LessThan
from patterns.runtime import aws
from services.dispatch.tables import KEYS, TABLES
from tests.support.dispatch.table_in_memory import TABLE, TableInMemory
from tests.support.examples import ON_TABLES

DISPATCH = Table(TABLE, KEYS)

Operation = tuple[str, str, Any]

_numbers = count(1)

UPDATED = "equipment"

sorts = st.sampled_from(["event#1", "event#2", "event#3", "0001#x", "0002#x"])
numbers = st.integers(0, 2)
operations = st.one_of(
    st.tuples(st.sampled_from(["put", "put once", "delete"]), sorts, numbers),
    st.tuples(st.just("update"), st.just(UPDATED), numbers),
    st.tuples(st.just("get"), sorts | st.just(UPDATED), st.none()),
    st.tuples(st.just("query"), st.sampled_from(["event#", "0001", ""]), st.tuples(st.booleans(), st.integers(1, 4))),
)


@pytest.fixture(scope="module")
def moto() -> Iterator[InProcess]:
    """The dispatch table alone."""
    process = InProcess()
    process.schemas = TABLES
    with process:
        yield process


def done(partition: str, series: list[Operation]) -> list[object]:
    """Do a series of operations in a partition, and note what comes back."""
    return [_do(operation, partition, sort, how) for operation, sort, how in series]


def _do(operation: str, partition: str, sort: str, how: Any) -> object:  # noqa: ANN401
    if operation == "query":
        forward, limit = how
        query = KeyQuery(keys=KEYS, partition=partition, sort=_sort_of(sort), forward=forward)
        return list(_pages(query, limit))
    key = KEYS.of(partition, sort)
    if operation == "get":
        return DISPATCH.get(key, consistent=True)
    try:
        _write(operation, key, how)
    except ConditionFailed as failed:
        return failed.row
    return "done"


def _write(operation: str, key: Mapping[str, Any], number: int) -> None:
    match operation:
        case "put" | "put once":
            condition = UNCONDITIONAL if operation == "put" else DISPATCH.absent
            DISPATCH.put({**key, "n": number, "list": [{"id": "e1"}]}, condition=condition)
        case "update":
            newer = Condition("attribute_not_exists(#n) OR #n < :n", {"n": "n"}, {"n": number})
            DISPATCH.update(key, assign={"n": number, "m": True}, remove=("list",), condition=newer)
        case "delete":
            DISPATCH.delete(key)


def _sort_of(text: str) -> BeginsWith | LessThan | None:
    if not text:
        return None
    return BeginsWith(text) if text.endswith("#") else LessThan(text + "~")


def _pages(query: KeyQuery, limit: int) -> Iterator[Mapping[str, Any]]:
    start = None
    while True:
        rows = DISPATCH.query(query, limit=limit, start=start, consistent=True)
        assert len(rows.items) <= limit
        yield from rows.items
        start = rows.last_key
        if start is None:
            return


def plain(records: list[dict[str, Any]]) -> list[object]:
    """Read what a stream told."""
    images = [record["dynamodb"] for record in records]
    return [
        (record["eventName"], *(to_plain(image[name]) for name in ("Keys", "OldImage", "NewImage") if name in image))
        for record, image in zip(records, images, strict=True)
        # moto tells of what changes nothing, too, and of an update that creates a row in two steps.
        if image.get("OldImage") != image.get("NewImage") and image["Keys"]["sk"] != {"S": UPDATED}
    ]


@ON_TABLES
@given(st.lists(operations, min_size=1, max_size=15))
def test_rows_pages_and_records_come_out_as_in_moto(moto: InProcess, series: list[Operation]) -> None:
    partition = f"compared {next(_numbers)}"
    with TableInMemory() as table:
        in_memory = done(partition, series)
        rows, records = table.rows(partition), table.new_records()

    assert done(partition, series) == in_memory
    assert [row for row in moto.rows(TABLE) if row["pk"] == partition] == rows
    assert plain(moto.new_records(TABLE)) == plain(records)
    assert len({record["eventID"] for record in records}) == len(records)


def test_a_change_that_changes_nothing_is_not_told() -> None:
    with TableInMemory() as table:
        for _ in range(2):
            DISPATCH.put({"pk": "p", "sk": "s", "n": 1}, condition=UNCONDITIONAL)

        assert len(table.new_records()) == 1


@pytest.mark.parametrize("call", ["scan", "batch_write_item", "transact_write_items"])
def test_a_call_that_it_does_not_know_is_refused(call: str) -> None:
    with TableInMemory(), pytest.raises(NotImplementedError):
        getattr(aws.client("dynamodb"), call)(TableName=TABLE)


@pytest.mark.parametrize(
    "query",
    [KeyQuery(keys=KEYS, partition="p", sort=Between("a", "b")), KeyQuery(keys=KEYS, partition="p", index="ByColour")],
    ids=["a range", "an index"],
)
def test_a_question_that_it_does_not_know_is_refused(query: KeyQuery) -> None:
    with TableInMemory(), pytest.raises((NotImplementedError, KeyError)):
        DISPATCH.query(query, limit=1)

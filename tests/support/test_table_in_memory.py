"""The table in memory does what moto does, and refuses what it does not know."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.key_query import BeginsWith, KeyQuery, LessThan
from andon.tools.in_process.expressions import condition
from andon.tools.in_process.world import frozen_clock
from andon.views.inverse_oplock import NEWER, put_if_newer
from andon.wire import aws
from tests.support.examples import ON_TABLES
from tests.support.samples import NOW
from tests.support.table_in_memory import TableInMemory
from toys.things import KEYS, ON, TABLE, TTL_DAYS, VARIABLE, World, happened

DAY_MS = 86_400_000
UPDATED = "-"

Operation = tuple[str, str, Any]

_numbers = count(1)

sorts = st.sampled_from(["event#1", "event#2", "event#3", "0001#x", "0002#x"])
numbers = st.integers(0, 2)
facts = st.builds(
    lambda kind, at, id_, value: happened(
        kind, "?", at=at, id=id_, **{"gloss" if kind == "painted" else "grams": value}
    ),
    st.sampled_from(["painted", "weighed"]),
    st.sampled_from([NOW - 11 * DAY_MS, NOW - DAY_MS, NOW]),
    st.sampled_from(["a", "é", "￿", "🏭"]),
    st.none() | st.integers(0, 3),
)
operations = st.one_of(
    st.tuples(st.sampled_from(["put", "put once", "delete"]), sorts, numbers),
    st.tuples(st.sampled_from(["update", "count"]), st.just(UPDATED), numbers),
    st.tuples(st.just("view"), st.just(UPDATED), st.tuples(facts, st.booleans())),
    st.tuples(st.just("get"), sorts | st.just(UPDATED), st.none()),
    st.tuples(st.just("query"), st.sampled_from(["event#", "0001", ""]), st.tuples(st.booleans(), st.integers(1, 4))),
)


@pytest.fixture(scope="module")
def world(one_thread: None) -> Iterator[World]:  # noqa: ARG001
    """The table on moto."""
    with World() as world, frozen_clock(NOW):
        yield world


def done(partition: str, series: list[Operation]) -> list[object]:
    """Do a series of operations in a partition; return what came back."""
    return [_do(operation, partition, sort, how) for operation, sort, how in series]


def _do(operation: str, partition: str, sort: str, how: Any) -> object:  # noqa: ANN401
    if operation == "query":
        forward, limit = how
        return list(_pages(KeyQuery(keys=KEYS, partition=partition, sort=_sort_of(sort), forward=forward), limit))
    if operation == "view":
        return _put_if_newer(partition, *how)
    key = KEYS.of(partition, sort)
    if operation == "get":
        return TABLE.get(key, consistent=True)
    try:
        _write(operation, key, how)
    except ConditionFailed as failed:
        return failed.row
    return "done"


def _put_if_newer(name: str, fact: Any, expires: bool) -> object:  # noqa: ANN401, FBT001
    """Apply a fact to a view, which never expires unless it `expires`."""
    event = happened(fact.type.removeprefix("thing-"), name, at=fact.timestamp_ms, id=fact.id)
    event.entities["thing"].update(fact.entity("thing").fields, name=name)
    update = ON["workshop", event.type](event)
    return put_if_newer(TABLE, update, event, ttl_days=TTL_DAYS if expires else None, now_ms=NOW)


def _write(operation: str, key: Mapping[str, Any], number: int) -> None:
    match operation:
        case "put" | "put once":
            condition = UNCONDITIONAL if operation == "put" else TABLE.absent
            TABLE.put({**key, "n": number, "list": [{"id": "e1"}]}, condition=condition)
        case "update":
            newer = Condition("attribute_not_exists(#n) OR #n < :n", {"n": "n"}, {"n": number})
            TABLE.update(key, assign={"n": number, "m": True}, remove=("list",), condition=newer)
        case "count":
            TABLE.increment(key, "counted", assign={"n": number})
        case "delete":
            TABLE.delete(key)


def _sort_of(text: str) -> BeginsWith | LessThan | None:
    if not text:
        return None
    return BeginsWith(text) if text.endswith("#") else LessThan(text + "~")


def _pages(query: KeyQuery, limit: int) -> Iterator[Mapping[str, Any]]:
    start = None
    while True:
        rows = TABLE.query(query, limit=limit, start=start, consistent=True)
        assert len(rows.items) <= limit
        yield from rows.items
        start = rows.last_key
        if start is None:
            return


def plain(records: list[dict[str, Any]]) -> list[object]:
    """Return what a stream's records say."""
    images = [record["dynamodb"] for record in records]
    return [
        (record["eventName"], *(to_plain(image[name]) for name in ("Keys", "OldImage", "NewImage") if name in image))
        for record, image in zip(records, images, strict=True)
        # moto has records of what changes nothing, too, and two of an update that creates a row.
        if image.get("OldImage") != image.get("NewImage") and image["Keys"]["sk"] != {"S": UPDATED}
    ]


@ON_TABLES
@given(st.lists(operations, min_size=1, max_size=15))
def test_rows_pages_and_records_come_out_as_in_moto(world: World, series: list[Operation]) -> None:
    partition = f"compared {next(_numbers)}"
    with TableInMemory(VARIABLE, KEYS) as table:
        in_memory = done(partition, series)
        rows, records = table.rows(partition), table.new_records()

    assert done(partition, series) == in_memory
    assert [row for row in world.rows(VARIABLE) if row["pk"] == partition] == rows
    assert plain(world.new_records(VARIABLE)) == plain(records)
    assert len({record["eventID"] for record in records}) == len(records)


@pytest.mark.parametrize(
    "expression",
    [
        NEWER,
        "#oplock = :oplock",
        "#oplock <= :oplock",
        "#oplock <> :oplock AND attribute_exists(#oplock)",
        "#oplock > :oplock AND #oplock >= :oplock",
        "attribute_not_exists(#oplock) AND #oplock < :oplock OR #oplock > :oplock",
        "attribute_not_exists(#oplock) AND (#oplock < :oplock OR #oplock > :oplock)",
    ],
)
@pytest.mark.parametrize("there", [None, "a", "b", "c"])  # moto cannot compare text with a number
def test_conditions_hold_as_in_moto(world: World, expression: str, there: object) -> None:
    key = KEYS.of(f"compared {next(_numbers)}", "-")

    def holds() -> bool:
        if there is not None:
            TABLE.put({**key, "oplock": there}, condition=UNCONDITIONAL)
        wanted = Condition(expression, {"oplock": "oplock"}, {"oplock": "b"})
        try:
            TABLE.update(key, assign={"done": True}, condition=wanted)
        except ConditionFailed:
            return False
        return True

    with TableInMemory(VARIABLE, KEYS):
        in_memory = holds()

    assert in_memory == holds() == bool((world.thing(str(key["pk"])) or {}).get("done"))


def test_the_stream_has_no_record_of_what_changes_nothing() -> None:
    with TableInMemory(VARIABLE, KEYS) as table:
        for _ in range(2):
            TABLE.put({"pk": "p", "sk": "s", "n": 1}, condition=UNCONDITIONAL)

        assert len(table.new_records()) == 1


@pytest.mark.parametrize("expression", ["size(#a) < :a", "#a < :a #b", "NOT #a = :a", "#a + #b = :a"])
def test_an_expression_that_it_does_not_know_is_refused(expression: str) -> None:
    with pytest.raises((NotImplementedError, KeyError, IndexError)):
        condition(expression)


@pytest.mark.parametrize("call", ["scan", "batch_write_item", "transact_write_items"])
def test_a_call_that_it_does_not_know_is_refused(call: str) -> None:
    with TableInMemory(VARIABLE, KEYS), pytest.raises(NotImplementedError):
        getattr(aws.client("dynamodb"), call)(TableName=VARIABLE)


def test_another_table_is_refused() -> None:
    with TableInMemory(VARIABLE, KEYS), pytest.raises(NotImplementedError):
        aws.client("dynamodb").get_item(TableName="another", Key={})


@pytest.mark.parametrize(
    "query",
    [KeyQuery(keys=KEYS, partition="p", index_name="ByColour")],
    ids=["an index"],
)
def test_a_question_that_it_does_not_know_is_refused(query: KeyQuery) -> None:
    with TableInMemory(VARIABLE, KEYS), pytest.raises((NotImplementedError, KeyError)):
        TABLE.query(query, limit=1)

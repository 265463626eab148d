from collections.abc import Iterator

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.schema import Index, KeyQuery, Keys, TableSchema
from andon.testing.memory.meter import TableOrIndex
from lab.simulate.counted import CountedLoop

KEYS = Keys("pk", "sk", one_partition_per="entity")
BY_PLACE = Keys("place", "sk", one_partition_per="tenant")
ALL, NOTHING = TableOrIndex("THINGS", "All"), TableOrIndex("THINGS", "KeysOnly")
TABLE = Table("THINGS", KEYS)
ROW = {"pk": "press-7", "sk": "1", "place": "hall", "seen": 1}


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[CountedLoop]:
    monkeypatch.setenv("THINGS", "THINGS")
    indexes = {"All": Index(BY_PLACE), "KeysOnly": Index(BY_PLACE, projects=())}
    with CountedLoop({"THINGS": TableSchema(KEYS, indexes=indexes, stream=True)}) as aws, aws.on_behalf_of("me"):
        yield aws


def put(aws: CountedLoop, **more: object) -> dict[TableOrIndex, int]:
    aws.forget()
    with aws.on_behalf_of("me") as used:
        TABLE.put({**ROW, **more}, condition=UNCONDITIONAL)
    return {place: units for (place, _), units in used.writes.items()}


def test_a_new_row_costs_a_unit_in_the_table_and_in_each_index(aws: CountedLoop) -> None:
    assert put(aws) == {TableOrIndex("THINGS"): 1, ALL: 1, NOTHING: 1}


def test_an_index_with_keys_only_is_written_when_a_key_changes(aws: CountedLoop) -> None:
    put(aws)

    assert put(aws, seen=2) == {TableOrIndex("THINGS"): 1, ALL: 1}
    assert put(aws, seen=2, place="yard") == {TableOrIndex("THINGS"): 1, ALL: 1, NOTHING: 1}  # of the place it came to


def test_an_entry_that_moves_is_deleted_and_put(aws: CountedLoop) -> None:
    put(aws)
    aws.forget()

    with aws.on_behalf_of("me") as used:
        TABLE.put({**ROW, "place": "yard"}, condition=UNCONDITIONAL)

    assert (used.writes[NOTHING, "hall"], used.writes[NOTHING, "yard"]) == (1, 1)


def test_a_kilobyte_more_is_a_unit_more(aws: CountedLoop) -> None:
    assert put(aws, text="x" * 1_100)[TableOrIndex("THINGS")] == 2


def test_what_a_condition_refuses_costs_as_well(aws: CountedLoop) -> None:
    put(aws)
    aws.forget()

    with aws.on_behalf_of("me") as used, pytest.raises(ConditionFailed) as refused:
        TABLE.put(ROW, condition=TABLE.absent)

    assert used.writes == {(TableOrIndex("THINGS"), "press-7"): 1}
    assert refused.value.row == ROW


def test_a_query_finds_what_was_put_in_order_and_pages(aws: CountedLoop) -> None:
    for number in (3, 1, 2):
        put(aws, sk=str(number))
    query = KeyQuery(keys=KEYS, partition="press-7", forward=True)

    first = TABLE.query(query, limit=2, consistent=True)
    rest = TABLE.query(query, limit=2, start=first.last_key, consistent=True)

    assert [row["sk"] for row in (*first.items, *rest.items)] == ["1", "2", "3"]
    assert rest.last_key is None
    assert aws.used["me"].reads == 2


def test_the_stream_has_what_changed_and_not_what_is_due(aws: CountedLoop) -> None:
    put(aws)
    put(aws)
    put(aws, pk="due#1")

    [record] = aws.new_records("THINGS")

    assert (record["eventName"], record["dynamodb"]["NewImage"]) == ("INSERT", to_typed(ROW))
    assert aws.new_records("THINGS") == []

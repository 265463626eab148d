"""AWS in memory does what moto does, errors included, and refuses what it does not know."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

import pytest
from botocore.client import BaseClient
from hypothesis import given
from hypothesis import strategies as st
from support.on_moto import OnMoto

from andon.dynamodb.attribute_values import Attributes, to_plain, to_typed
from andon.dynamodb.client import Check, Counted, Put, Update, transact
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.evaluate import condition
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.key_query import BeginsWith, Between, GreaterThan, KeyQuery, LessThan
from andon.events.publish import publish
from andon.runtime.errors import CallFailed
from andon.testing.either_wire import outcome_of
from andon.testing.environment import frozen_clock
from andon.testing.examples import ON_TABLES
from andon.testing.loop import Loop
from andon.testing.memory.aws import OneTable
from andon.testing.plugin import LAWS
from andon.testing.wire import Wire
from andon.versions.claims import Claim
from andon.views.inverse_oplock import NEWER, put_if_newer
from andon.wire import aws, retries
from andon.wire.in_parallel import in_parallel
from toys.clock import NOW
from toys.things import BY_COLOUR, KEYS, ON, TABLE, TTL_DAYS, VARIABLE, World, happened

DAY_MS = 86_400_000
VIEWED = "-"
LARGE = "x" * 409_600

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
bounds = st.sampled_from(
    [None, BeginsWith("event#"), LessThan("event#2"), GreaterThan("0001#x"), Between("0002#x", "event#2")]
)
pages = st.tuples(bounds, st.booleans(), st.integers(1, 4))
operations = st.one_of(
    st.tuples(st.sampled_from(["put", "put once", "delete", "together", "claim", "update", "count"]), sorts, numbers),
    st.tuples(st.just("view"), st.just(VIEWED), st.tuples(facts, st.booleans())),
    st.tuples(st.sampled_from(["get", "get many"]), sorts | st.just(VIEWED), st.none()),
    st.tuples(st.sampled_from(["query", "index", "how many"]), st.just(""), pages),
)


@pytest.fixture(scope="module")
def moto() -> Iterator[OnMoto]:
    """The oracle."""
    with OnMoto() as moto, frozen_clock(NOW):
        yield moto


def done(partition: str, series: list[Operation]) -> list[object]:
    """Do a series of operations in a partition; return what came back."""
    return [outcome_of(partial(_do, operation, partition, sort, how)) for operation, sort, how in series]


def _do(operation: str, partition: str, sort: str, how: Any) -> object:  # noqa: ANN401
    key = KEYS.of(partition, sort or VIEWED)
    match operation:
        case "query":
            bound, forward, limit = how
            return _pages(KeyQuery(keys=KEYS, partition=partition, sort=bound, forward=forward), limit)
        case "index":
            _, forward, limit = how
            red = KeyQuery(keys=BY_COLOUR, partition=f"red {partition}", index_name="ByColour", forward=forward)
            return _pages(red, limit)
        case "how many":
            return _how_many(partition, *how)
        case "view":
            return _put_if_newer(partition, *how)
        case "get" | "get many":
            both = [key, KEYS.of(partition, "event#1 ")]
            return TABLE.get(key, consistent=True) if operation == "get" else TABLE.get_many(both)
    return _write(operation, key, how)


def _how_many(partition: str, bound: Any, is_timed: bool, _: int) -> list[Counted]:  # noqa: ANN401, FBT001
    query = KeyQuery(keys=KEYS, partition=partition, sort=bound)
    red = KeyQuery(keys=BY_COLOUR, partition=f"red {partition}", index_name="ByColour")
    return [TABLE.count(one, now_ms=NOW if is_timed else None) for one in (query, red)]


def _put_if_newer(name: str, fact: Any, expires: bool) -> object:  # noqa: ANN401, FBT001
    """Apply a fact to a view, which never expires unless it `expires`."""
    event = happened(fact.type.removeprefix("thing-"), name, at=fact.timestamp_ms, id=fact.id)
    event.entities["thing"].update(fact.entity("thing").fields, name=name)
    update = ON["workshop", event.type](event)
    return put_if_newer(TABLE, update, event, ttl_days=TTL_DAYS if expires else None, now_ms=NOW)


def _write(operation: str, key: Mapping[str, Any], number: int) -> object:
    newer = Condition("attribute_not_exists(#n) OR #n < :n", {"n": "n"}, {"n": number})
    lasts = {"ttl": NOW // 1000 + number - 1, "ttl#date": NOW // 1000 + 1 - number // 2}
    row = {
        **key,
        **lasts,
        "n": number,
        "list": [{"id": "e1"}],
        "colour": f"{('red', 'blue', 'red')[number]} {key['pk']}",
    }
    match operation:
        case "put" | "put once":
            TABLE.put(row, condition=UNCONDITIONAL if operation == "put" else TABLE.absent)
        case "update":
            return TABLE.update_and_return(key, assign={"n": number, "m": True}, remove=("list",), condition=newer)
        case "count":
            return TABLE.increment(key, "counted", assign={"n": number})
        case "delete":
            TABLE.delete(key, condition=newer)
        case "together":
            first = KEYS.of(key["pk"], "first")
            update = Update(TABLE, first, {"n": number}, (), newer)
            transact({"put": Put(TABLE, row, TABLE.absent), "first": update})
        case "claim":
            mine, theirs = (Claim(TABLE, KEYS.of(key["pk"], name), str(number)) for name in ("mine", "theirs"))
            there = Check(TABLE, key, Condition("attribute_exists(#n)", {"n": "n"}))
            transact({"take": mine.taken("take").write, "let go": theirs.released().write, "there": there})
            transact({"take": theirs.taken("take").write, "let go": mine.released().write})
    return None


def _pages(query: KeyQuery, limit: int) -> list[object]:
    found, start = list[object](), None
    while True:
        rows = TABLE.query(query, limit=limit, start=start, consistent=query.index_name is None)
        assert len(rows.items) <= limit
        found += rows.items
        start = rows.last_key
        if start is None:
            return found


def plain(records: list[dict[str, Any]]) -> list[object]:
    """Return a stream's records as plain values."""
    images = [record["dynamodb"] for record in records]
    return [
        (record["eventName"], *(to_plain(image[name]) for name in ("Keys", "OldImage", "NewImage") if name in image))
        for record, image in zip(records, images, strict=True)
        # moto has records of what changes nothing, too.
        if image.get("OldImage") != image.get("NewImage")
    ]


def created_by_updates(records: list[dict[str, Any]]) -> set[str]:
    """Return the keys of rows of which moto has a record too many: an update that creates one has two."""
    bare = [one["dynamodb"] for one in records if one["dynamodb"].get("NewImage") == one["dynamodb"]["Keys"]]
    return {str(image["Keys"]) for image in bare}


@ON_TABLES
@given(st.lists(operations, min_size=1, max_size=20))
def test_rows_pages_errors_and_records_come_out_as_in_moto(moto: OnMoto, series: list[Operation]) -> None:
    partition = f"compared {next(_numbers)}"
    with World() as memory:
        in_memory = done(partition, series)
        rows, records = memory.rows(VARIABLE), memory.new_records(VARIABLE)

    assert done(partition, series) == in_memory
    assert [row for row in moto.rows(VARIABLE) if row["pk"] == partition] == rows
    theirs = moto.new_records(VARIABLE)
    twice = created_by_updates(theirs)
    compared = [[one for one in some if str(one["dynamodb"]["Keys"]) not in twice] for some in (theirs, records)]
    assert plain(compared[0]) == plain(compared[1])
    assert len({record["eventID"] for record in records}) == len(records)


def require_as_in_moto(moto: OnMoto, key: Attributes, row: Attributes | None, wanted: Condition) -> None:
    """Check that a condition holds of a row in memory, or of there being none, exactly if it does in moto."""

    def holds() -> bool:
        if row is not None:
            TABLE.put(row, condition=UNCONDITIONAL)
        try:
            TABLE.update(key, assign={"done": True}, condition=wanted)
        except ConditionFailed:
            return False
        return True

    with OneTable(VARIABLE, KEYS):
        in_memory = holds()

    assert in_memory == holds() == bool((moto.thing(str(key["pk"])) or {}).get("done"))


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
def test_conditions_hold_as_in_moto(moto: OnMoto, expression: str, there: object) -> None:
    key = KEYS.of(f"compared {next(_numbers)}", "-")
    row = None if there is None else {**key, "oplock": there}

    require_as_in_moto(moto, key, row, Condition(expression, {"oplock": "oplock"}, {"oplock": "b"}))


AMONG: list[object] = [None, "a", "b", {"name": "b"}, {"name": "c"}, {}, ["b"], ["c", {"level": "x"}], [{"level": "x"}]]


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("#a IN (:b)", {"b": "b"}),
        ("#a IN (:b, :c, :a)", {"b": "b", "c": "c", "a": "a"}),
        ("#a.#name IN (:b, :x)", {"b": "b", "x": "x"}),
        ("contains(#a, :x)", {"x": {"level": "x"}}),
        ("contains(#a, :x) OR #a IN (:b) AND #a.#name = :b", {"x": {"level": "x"}, "b": "b"}),
        ("(#pk = :pk AND attribute_exists(#a)) AND (#a.#name = :b OR #a IN (:b))", {"pk": "?", "b": "b"}),
    ],
)
@pytest.mark.parametrize("there", AMONG, ids=repr)
def test_what_is_deeper_and_what_is_one_of_several_is_found_as_in_moto(
    moto: OnMoto, expression: str, values: dict[str, object], there: object
) -> None:
    key = KEYS.of(f"compared {next(_numbers)}", "-")
    names = {name: name for name in ("a", "name", "pk") if f"#{name}" in expression}
    wanted = Condition(expression, names, {name: key["pk"] if one == "?" else one for name, one in values.items()})

    require_as_in_moto(moto, key, {**key, **({} if there is None else {"a": there})}, wanted)


ROW = {"pk": "a", "sk": "-"}
FAILING: dict[str, Callable[[], object]] = {
    "a key too many": lambda: TABLE.get({**ROW, "x": "y"}),
    "a key too few": lambda: TABLE.get({"pk": "a"}),
    "a key that is a number": lambda: TABLE.put({**ROW, "pk": 1}, condition=UNCONDITIONAL),
    "an empty key": lambda: TABLE.put({**ROW, "sk": ""}, condition=UNCONDITIONAL),
    "an empty key of an index": lambda: TABLE.put({**ROW, "colour": ""}, condition=UNCONDITIONAL),
    "a key that is too long": lambda: TABLE.put({**ROW, "sk": "é" * 513}, condition=UNCONDITIONAL),
    "a row that is too large": lambda: TABLE.put({**ROW, "text": LARGE}, condition=UNCONDITIONAL),
    "the same key twice": lambda: aws.call(
        "dynamodb", "batch_get_item", RequestItems={TABLE.name: {"Keys": [to_typed(ROW)] * 2}}
    ),
    "a condition that fails": lambda: TABLE.update(ROW, assign={"n": 1}, condition=Condition("attribute_exists(pk)")),
    "a change of a key": lambda: TABLE.update(ROW, assign={"pk": "a"}, condition=Condition("attribute_not_exists(n)")),
    "a name too many": lambda: TABLE.put(ROW, condition=Condition("attribute_not_exists(#n)", {"n": "n", "m": "m"})),
    "one row twice in a transaction": lambda: transact(
        {"put": Put(TABLE, ROW, UNCONDITIONAL), "check": Check(TABLE, ROW, TABLE.absent)}
    ),
    "an unknown table": lambda: aws.call("dynamodb", "get_item", TableName="nowhere", Key=to_typed(ROW)),
    "a bucket that is not there": lambda: aws.call("s3", "get_object", Bucket="nowhere", Key="a"),
}


@pytest.mark.usefixtures("moto")
@pytest.mark.parametrize("failing", FAILING)
def test_what_fails_on_moto_fails_with_the_same_code(failing: str) -> None:
    on_moto = outcome_of(FAILING[failing])
    with World():
        in_memory = outcome_of(FAILING[failing])

    assert "raised" in on_moto
    assert (in_memory["raised"], in_memory.get("code")) == (on_moto["raised"], on_moto.get("code"))


@pytest.mark.parametrize(
    ("names", "values"),
    [
        ({"#n": "n"}, {":n": {"N": "1"}, ":m": {"N": "1"}}),
        ({"#n": "n"}, {}),
        ({"#m": "n"}, {":n": {"N": "1"}}),
        (None, {":n": {"N": "1"}}),
        ({"#n": "n"}, None),
    ],
)
def test_names_and_values_are_those_of_the_expressions_which_moto_does_not_ask_for(
    names: dict[str, str] | None, values: dict[str, Any] | None
) -> None:
    """DynamoDB answers ValidationException."""
    given = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    said = {name: value for name, value in given.items() if value is not None}
    with World(), pytest.raises(CallFailed, match="ValidationException"):
        aws.call(
            "dynamodb", "put_item", TableName=TABLE.name, Item=to_typed(ROW), ConditionExpression="#n < :n", **said
        )


def test_what_is_published_comes_out_as_on_moto(moto: OnMoto) -> None:
    event = happened("painted", "one")
    with World() as memory, frozen_clock(NOW):
        publish([event], source="workshop")
        (in_memory,) = memory.new_envelopes()

    publish([event], source="workshop")

    (on_moto,) = moto.new_envelopes()
    same = ("version", "source", "detail-type", "detail", "region")
    assert [on_moto[name] for name in same] == [in_memory[name] for name in same]


def test_the_stream_has_no_record_of_what_changes_nothing() -> None:
    with OneTable(VARIABLE, KEYS) as table:
        for _ in range(2):
            TABLE.put({"pk": "p", "sk": "s", "n": 1}, condition=UNCONDITIONAL)

        assert len(table.new_records()) == 1


def test_a_transaction_whose_answer_was_lost_is_done_once() -> None:
    with World() as memory:
        request = {
            "TransactItems": [Put(TABLE, ROW, TABLE.absent).request()],
            "ClientRequestToken": "t",
        }
        for _ in range(2):
            aws.call("dynamodb", "transact_write_items", **request)

        assert len(memory.new_records(VARIABLE)) == 1


def test_a_write_that_is_throttled_is_made_again_by_the_wire_and_then_given_up() -> None:
    with OneTable(VARIABLE, KEYS) as table:
        table.refuse(lambda number, _: "ThrottlingException" if number < retries.ATTEMPTS else None)
        TABLE.put(ROW, condition=UNCONDITIONAL)
        table.busy_after(0)

        with pytest.raises(CallFailed, match="ThrottlingException"):
            TABLE.delete(ROW)
        assert len(table.rows()) == 1


def test_of_many_tasks_at_once_each_gets_its_own_answer() -> None:
    with World():
        for number in range(50):
            TABLE.put({"pk": "p", "sk": str(number), "n": number}, condition=UNCONDITIONAL)
        found = in_parallel([partial(TABLE.get, KEYS.of("p", str(number))) for number in range(50)])

    assert [row and row["n"] for row in found] == list(range(50))


@pytest.mark.parametrize("expression", ["size(#a) < :a", "#a < :a #b", "NOT #a = :a", "#a + #b = :a"])
def test_an_expression_that_it_does_not_know_is_refused(expression: str) -> None:
    with pytest.raises((NotImplementedError, KeyError, IndexError)):
        condition(expression)


def test_a_call_that_it_does_not_know_is_refused() -> None:
    with World(), pytest.raises(NotImplementedError):
        aws.call("dynamodb", "execute_statement", Statement="SELECT 1")


def test_a_client_of_botocore_is_not_made_for_a_world() -> None:
    """It takes as much CPU as a hundred requests, and each world would make its own."""
    with OneTable(VARIABLE, KEYS):
        assert not isinstance(aws.client("s3"), BaseClient)


def test_a_sweep_of_nothing_asks_for_nothing() -> None:
    with Loop() as loop, Wire() as wire:
        assert loop.sweep() == []

        assert wire.requests == []


def test_no_law_loads_the_cdk_before_it_needs_the_template() -> None:
    """Its kernel is a process of its own, and takes as long as the other laws of a project together."""
    laws = ", ".join(f"andon.testing.laws.{file.stem}" for file in LAWS.glob("test_*.py"))
    asked = [sys.executable, "-c", f"import sys, {laws}; print('jsii' in sys.modules)"]

    said = subprocess.run(asked, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True)  # noqa: S603

    assert said.stdout.split() == ["False"]

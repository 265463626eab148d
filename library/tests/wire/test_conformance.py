"""Every call of ours over both wires, each on tables of its own: the same outcomes, the same errors, the same rows."""

import json
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest
from support import needs

from andon.dynamodb.client import Check, Put, Table, Update, transact
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.key_query import BeginsWith, Between, GreaterThan, KeyQuery, LessThan
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.events.publish import publish, try_publish
from andon.testing.create_table import create_table_request
from andon.testing.either_wire import BOTH, connected, outcome_of
from andon.testing.emulated import empty_emulator
from andon.tools.stack import aws as emulated
from andon.wire import aws
from toys.things import happened

pytestmark = needs.EMULATOR

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
BY_NUMBER: Final = Keys("colour", "number", sort_type="N", one_partition_per="tenant")
THINGS: Final = Table("THINGS_TABLE", KEYS)
NOWHERE: Final = Table("NOWHERE_TABLE", KEYS)

A: Final = {"pk": "a", "sk": "-"}
LARGE: Final = "é" * 204_800  # 400 KB, and with the key more than DynamoDB takes
NUMBERS: Final = [0, -1, 10**38 - 1, -(10**38 - 1), 1.5, 1e-100, 12345678901234567890, 0.1, 1e99]
VALUES: Final[Mapping[str, Any]] = {
    "text": '81 °C 🏭 工 \u0001 \\ " \u2028',
    "empty": "",
    "numbers": NUMBERS,
    "true": True,
    "nothing": None,
    "map": {"": "no name", "工": {"list": [[], {}, [None, False]]}},
    "#pk": "reserved",
}

AT_LEAST: Final = Condition("#n >= :n", {"n": "n"}, {"n": 5})


@dataclass(frozen=True, slots=True)
class Somebody:
    """Somebody else, with a client of their own."""

    dynamodb: Any
    sqs: Any

    def rows(self) -> list[dict[str, Any]]:
        found = self.dynamodb.scan(TableName=THINGS.name, ConsistentRead=True)["Items"]
        return sorted(found, key=lambda row: (row["pk"]["S"], row["sk"]["S"]))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with empty_emulator(tmp_path_factory.mktemp("conformance")) as url:
        yield url


Scenario = Callable[[Somebody], Any]

SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(do: Scenario) -> Scenario:
    """Run this over both wires."""
    SCENARIOS[do.__name__.replace("_", " ")] = do
    return do


def put(item: Mapping[str, Any], condition: Condition = UNCONDITIONAL) -> object:
    return outcome_of(lambda: THINGS.put(item, condition=condition))


def get(key: Mapping[str, Any], *, consistent: bool = True) -> Any:  # noqa: ANN401  an outcome
    return outcome_of(lambda: THINGS.get(key, consistent=consistent))


@scenario
def rows_are_kept_as_they_are(_: Somebody) -> object:
    return [put({**A, **VALUES}), get(A), get(A, consistent=False), get({"pk": "b", "sk": "-"})]


@scenario
def keys_may_be_of_any_letters(_: Somebody) -> object:
    keys = [{"pk": text, "sk": text[::-1]} for text in ("工場#1", "ключ", "🔧🔧", 'a\\b"c', "\u0001", "é" * 512, " ")]
    return [[put({**key, "n": 1}) for key in keys], [get(key) for key in keys], THINGS.get_many(keys)]


@scenario
def a_row_that_is_too_large_is_refused(_: Somebody) -> object:
    return [put({**A, "text": LARGE[:-100]}), put({**A, "sk": "+", "text": LARGE}), get(A), get({**A, "sk": "+"})]


@scenario
def what_can_be_no_key_is_refused(_: Somebody) -> object:
    keys: list[dict[str, Any]] = [
        {"pk": "", "sk": "-"},
        {"pk": "a"},
        {"pk": 1, "sk": "-"},
        {"pk": "é" * 1025, "sk": "-"},
        {**A, "x": "y"},
    ]
    return [[put({**key, "n": 1}) for key in keys], [get(key) for key in keys]]


@scenario
def what_somebody_else_wrote_is_read(somebody: Somebody) -> object:
    binaries = [b"", b"\x00\xff", bytes(range(256))]
    for number, binary in enumerate(binaries):
        row = {"pk": {"S": "a"}, "sk": {"S": str(number)}, "b": {"B": binary}, "ns": {"NS": ["2", "1.5", "9" * 38]}}
        sets = {"ss": {"SS": ["b", "工"]}, "bs": {"BS": [b"2", b"1"]}, "n": {"N": "0." + "1" * 37}}
        somebody.dynamodb.put_item(TableName=THINGS.name, Item={**row, **sets})
    found = [get({"pk": "a", "sk": str(number)}) for number in range(len(binaries))]
    assert [row["b"] for row in found] == [b64encode(binary).decode() for binary in binaries]
    failed = put({"pk": "a", "sk": "1"}, THINGS.absent)
    page = outcome_of(lambda: THINGS.query(KeyQuery(keys=KEYS, partition="a"), limit=2))
    return [found, failed, page, THINGS.get_many([{"pk": "a", "sk": "0"}, {"pk": "a", "sk": "1"}])]


@scenario
def many_rows_are_read_at_once(_: Somebody) -> object:
    for number in range(0, 100, 2):
        put({"pk": "a", "sk": f"{number:03}", "text": "é" * 5_000})
    keys = [{"pk": "a", "sk": f"{number:03}"} for number in range(100)]
    too_many = [{"pk": "a", "sk": str(number)} for number in range(101)]
    return [
        outcome_of(lambda: THINGS.get_many(keys)),
        outcome_of(lambda: THINGS.get_many([])),
        outcome_of(lambda: THINGS.get_many(keys[:1])),
        outcome_of(lambda: THINGS.get_many(too_many)),
        outcome_of(lambda: THINGS.get_many([A, A])),
    ]


@scenario
def a_query_has_pages(_: Somebody) -> object:
    for number in range(10):
        put({"pk": "工", "sk": f"{number}", "colour": "red", "number": number * 10**30, "text": VALUES["text"]})
    queries = [
        KeyQuery(keys=KEYS, partition="工"),
        KeyQuery(keys=KEYS, partition="工", forward=True),
        KeyQuery(keys=KEYS, partition="工", sort=Between("2", "4")),
        KeyQuery(keys=KEYS, partition="工", sort=BeginsWith("7")),
        KeyQuery(keys=KEYS, partition="工", sort=LessThan("3")),
        KeyQuery(keys=KEYS, partition="nobody"),
        KeyQuery(keys=BY_NUMBER, partition="red", sort=GreaterThan(5 * 10**30), index_name="ByNumber"),
        KeyQuery(keys=BY_NUMBER, partition="red", index_name="ByNumber"),
    ]
    return [_pages(query) for query in queries]


def _pages(query: KeyQuery) -> list[Any]:
    pages: list[Any] = []
    start: dict[str, Any] | None = None
    while not pages or start:
        consistent = query.index is None
        pages.append(THINGS.query(query, limit=4, start=start, consistent=consistent))
        start = pages[-1].last_key
    return pages


@scenario
def a_start_key_from_elsewhere_is_refused(_: Somebody) -> object:
    put({**A, "n": 1})
    query = KeyQuery(keys=KEYS, partition="a", sort=Between("b", "d"))
    starts: list[dict[str, Any]] = [
        {"pk": "b", "sk": "c"},
        {"pk": "a"},
        {"pk": "a", "sk": 1},
        {"pk": "a", "sk": "c", "x": "y"},
        {"x": "y"},
    ]
    other = KeyQuery(keys=KEYS, partition="a", index_name="Nothing")
    return [
        [outcome_of(partial(THINGS.query, query, limit=2, start=start)) for start in starts],
        outcome_of(lambda: THINGS.query(other, limit=2)),
        outcome_of(lambda: THINGS.query(query, limit=0)),
    ]


@scenario
def an_update_assigns_and_removes(_: Somebody) -> object:
    many = {f"attribute {number}": number for number in range(60)}
    return [
        outcome_of(lambda: THINGS.update(A, assign=VALUES, condition=THINGS.absent)),
        outcome_of(lambda: THINGS.update(A, assign={"n": 10**37}, condition=THINGS.absent)),
        outcome_of(lambda: THINGS.update(A, assign={"n": 5}, remove=("text", "nothing", "x"), condition=UNCONDITIONAL)),
        outcome_of(lambda: THINGS.update_and_return(A, assign=many, condition=AT_LEAST)),
        outcome_of(lambda: THINGS.update_and_return(A, assign={"n": 4}, condition=AT_LEAST)),
        outcome_of(lambda: THINGS.update_and_return(A, assign={"n": 4}, condition=AT_LEAST)),
        outcome_of(lambda: THINGS.update({"pk": "b", "sk": "-"}, assign={"n": 1}, condition=AT_LEAST)),
        outcome_of(lambda: THINGS.update(A, assign={"pk": "b"}, condition=UNCONDITIONAL)),
        outcome_of(lambda: THINGS.update(A, assign={"large": LARGE}, condition=UNCONDITIONAL)),
        outcome_of(lambda: THINGS.update(A, assign={"n": 1}, condition=Condition("no expression ("))),
    ]


@scenario
def a_counter_counts(_: Somebody) -> object:
    return [
        outcome_of(lambda: THINGS.increment(A, "count", assign={"text": "工"})),
        outcome_of(lambda: THINGS.increment(A, "count", assign={}, remove=("text",))),
        outcome_of(lambda: THINGS.increment(A, "count", assign={}, condition=AT_LEAST)),
        put({**A, "count": "no number"}),
        outcome_of(lambda: THINGS.increment(A, "count", assign={})),
    ]


@scenario
def a_delete_deletes(_: Somebody) -> object:
    put({**A, **VALUES})
    deletes = [outcome_of(partial(THINGS.delete, key)) for key in (A, A, {})]
    return [*deletes, get(A)]


@scenario
def a_transaction_writes_all_or_nothing(_: Somebody) -> object:
    b, c = {"pk": "b", "sk": "-"}, {"pk": "工", "sk": "-"}
    writes: dict[str, Put | Update | Check] = {
        "put": Put(THINGS, {**A, **VALUES}, THINGS.absent),
        "update": Update(THINGS, b, {"n": 5}, ("x",), THINGS.absent),
        "check": Check(THINGS, c, THINGS.absent),
    }
    held: dict[str, Put | Update | Check] = {
        "b": Update(THINGS, b, {"n": 6}, (), AT_LEAST),
        "a": Check(THINGS, A, THINGS.absent),
    }
    return [
        outcome_of(lambda: transact(writes)),
        outcome_of(lambda: transact(writes)),
        outcome_of(lambda: transact(held)),
        outcome_of(lambda: transact({"b": held["b"]})),
        outcome_of(lambda: transact({"twice": held["b"], "again": held["b"]})),
        outcome_of(lambda: transact({"large": Put(THINGS, {**c, "text": LARGE}, UNCONDITIONAL)})),
        outcome_of(lambda: transact({"nowhere": Put(NOWHERE, A, UNCONDITIONAL), "put": writes["put"]})),
        outcome_of(lambda: transact({})),
        [outcome_of(write.alone) for write in writes.values() if isinstance(write, Put | Update)],
    ]


@scenario
def a_transaction_with_a_token_is_done_once(_: Somebody) -> object:
    def add(token: str, row: str = "a") -> object:
        change = {"Key": {"pk": {"S": row}, "sk": {"S": "-"}}, "UpdateExpression": "ADD n :one"}
        update = {"TableName": THINGS.name, **change, "ExpressionAttributeValues": {":one": {"N": "1"}}}
        request = {"TransactItems": [{"Update": update}], "ClientRequestToken": token}
        aws.call("dynamodb", "transact_write_items", **request)
        return THINGS.get(A)

    token = f"one {THINGS.name}"
    return [outcome_of(lambda: add(token)), outcome_of(lambda: add(token)), outcome_of(lambda: add(token, "another"))]


@scenario
def where_there_is_no_table_everything_fails(_: Somebody) -> object:
    calls: list[Callable[[], object]] = [
        lambda: NOWHERE.get(A),
        lambda: NOWHERE.get_many([A, {"pk": "b", "sk": "-"}]),
        lambda: NOWHERE.query(KeyQuery(keys=KEYS, partition="a"), limit=1),
        lambda: NOWHERE.query(KeyQuery(keys=KEYS, partition="a"), limit=1, start=A),
        lambda: NOWHERE.put(A, condition=NOWHERE.absent),
        lambda: NOWHERE.update(A, assign={"n": 1}, condition=UNCONDITIONAL),
        lambda: NOWHERE.increment(A, "n", assign={}),
        lambda: NOWHERE.delete(A),
        lambda: transact({"put": Put(NOWHERE, A, UNCONDITIONAL)}),
    ]
    outcomes = [outcome_of(call) for call in calls]
    assert {outcome["code"] for outcome in outcomes} == {"ResourceNotFoundException"}
    return outcomes


@scenario
def events_are_published(somebody: Somebody) -> object:
    events = [happened("painted", "工", id=f"e{number}", colour=VALUES["text"]) for number in range(25)]
    large = happened("painted", "large", id="large", colour="é" * 200_000)
    broken = {"EventBusName": os.environ["BUS_NAME"], "Source": "a", "DetailType": "b", "Detail": "{"}
    published = [
        outcome_of(lambda: publish(events, source="things")),
        outcome_of(lambda: try_publish([*events[:2], large], source="things")),
        outcome_of(lambda: aws.call("events", "put_events", Entries=[broken])),
        outcome_of(lambda: aws.call("events", "put_events", Entries=[])),
    ]
    return [_without_ids(published), sorted(_received(somebody.sqs, os.environ["EVENTS_QUEUE"]))]


@scenario
def messages_are_sent(somebody: Somebody) -> object:
    queue = os.environ["QUEUE"]
    bodies = ["a", "81 °C 🏭", '{"a": "\\u0000"}', "x" * 200_000]
    sent = [
        outcome_of(partial(aws.call, "sqs", "send_message", QueueUrl=queue, MessageBody=body))
        for body in [*bodies, "", "x" * 2_000_000]
    ]
    nowhere = outcome_of(lambda: aws.call("sqs", "send_message", QueueUrl=f"{queue}-not", MessageBody="a"))
    return [_without_ids([*sent, nowhere]), sorted(_received(somebody.sqs, queue))]


def _received(sqs: Any, queue: str) -> list[str]:  # noqa: ANN401  boto3's clients are made at run time
    bodies: list[str] = []
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
        bodies += [_without_time(message["Body"]) for message in messages]
        for message in messages:
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def _without_time(body: str) -> str:
    """Return an event without what the bus adds: its id and its time."""
    if not body.startswith('{"version"'):
        return body
    envelope = json.loads(body)
    return json.dumps({name: envelope[name] for name in ("source", "detail-type", "detail")}, sort_keys=True)


GIVEN: Final = ("ResponseMetadata", "MessageId", "EventId", "QueryErrorCode", "Type")
"""Members that differ each time, or are only botocore's."""


def _without_ids(outcome: Any) -> Any:  # noqa: ANN401  an outcome
    match outcome:
        case dict():
            return {name: _without_ids(member) for name, member in outcome.items() if name not in GIVEN}
        case list():
            return [_without_ids(member) for member in outcome]
    return outcome


@pytest.mark.parametrize("name", SCENARIOS)
def test_over_both_wires_the_same_comes_of(name: str, url: str) -> None:
    found = [_run(name, wire, url) for wire in BOTH]

    (libcurl, rows), (botocore, others) = found
    for one, other in zip(libcurl, botocore, strict=True):
        assert one == other
    assert rows == others


def _run(name: str, wire: str, url: str) -> tuple[list[Any], list[dict[str, Any]]]:
    """Run a scenario on new tables, queues and a bus; return what came of it and the rows that are left."""
    somebody = Somebody(emulated.client("dynamodb", url), emulated.client("sqs", url))
    number = [*SCENARIOS].index(name)
    queue, bus = f"queue-{number}-{wire}", f"bus-{number}-{wire}"
    names = {"THINGS_TABLE": f"things-{number}-{wire}", "NOWHERE_TABLE": "nowhere", "BUS_NAME": bus}
    schema = TableSchema(KEYS, indexes={"ByNumber": Index(BY_NUMBER)})
    somebody.dynamodb.create_table(**create_table_request(names["THINGS_TABLE"], schema))
    queues = {"QUEUE": somebody.sqs.create_queue(QueueName=queue)["QueueUrl"], "EVENTS_QUEUE": _open_bus(url, bus)}
    with connected(wire, url, **names, **queues):
        outcome = SCENARIOS[name](somebody)
        return _anonymous(outcome, names["THINGS_TABLE"]), somebody.rows()


def _open_bus(url: str, bus: str) -> str:
    events, sqs = emulated.client("events", url), emulated.client("sqs", url)
    events.create_event_bus(Name=bus)
    queue: str = sqs.create_queue(QueueName=bus)["QueueUrl"]
    events.put_rule(Name=bus, EventBusName=bus, EventPattern='{"source": [{"prefix": ""}]}')
    target = {"Id": bus, "Arn": f"arn:aws:sqs:{emulated.REGION}:{emulated.ACCOUNT}:{bus}"}
    events.put_targets(Rule=bus, EventBusName=bus, Targets=[target])
    return queue


def _anonymous(outcome: Any, table: str) -> Any:  # noqa: ANN401  an outcome
    """Return an outcome whose messages do not name the table."""
    match outcome:
        case str():
            return outcome.replace(table, "things")
        case dict():
            return {name: _anonymous(member, table) for name, member in outcome.items()}
        case list():
            return [_anonymous(member, table) for member in outcome]
    return outcome

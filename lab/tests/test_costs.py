from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.publish import GROUPED, publish
from andon.events.received import received
from andon.project import project
from andon.runtime import strict_json
from andon.runtime.message_batch import QueueMessage
from andon.testing.create_table import create_table_request
from andon.testing.samples import sample
from andon.tools.stack import emulator
from andon.tools.stack.aws import KEY, REGION
from andon.wire import aws
from lab.costs import TABLES, of_events, of_lists, of_photos
from lab.metered import Line, Metered, Table, counted
from lab.on_paper import SCHEMAS, of_versions
from lab.simulate.batches import ENVELOPE_BYTES, cut
from lab.simulate.counted import SentFact
from lab.simulate.limits import BILLED_BYTES

READS = {"get_item", "query"}
BUS, SOURCE = "costs", "equipment"


@contextmanager
def metered() -> Iterator[list[float]]:
    """The write units that DynamoDB says it counted, of each request."""
    units, aws_call = list[float](), aws.call

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        response = aws_call(service, operation, **request, ReturnConsumedCapacity="TOTAL")
        consumed = [] if operation in READS else response["ConsumedCapacity"]
        units.extend(one["CapacityUnits"] for one in (consumed if isinstance(consumed, list) else [consumed]))
        return response

    with patch.object(aws, "call", call):
        yield units


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tables of all designs, and a bus, on an emulator, over the wire that moto does not hook into."""
    folder = tmp_path_factory.mktemp("emulator")
    running = emulator.start(folder, emulator.free_port(), lifeline=True)
    access = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY, "AWS_DEFAULT_REGION": REGION}
    variables = {"AWS_ENDPOINT_URL": running.endpoint, "AWS_WIRE": "libcurl", "NO_PROXY": emulator.HOST, **access}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**variables, "BUS_NAME": BUS, GROUPED: "1", **{name: name for name in SCHEMAS}}.items():
            patch.setenv(name, value)
        aws.forget()
        for name, schema in SCHEMAS.items():
            aws.call("dynamodb", "create_table", **create_table_request(name, schema))
        yield
        aws.forget()
    emulator.stop(folder, running)


@pytest.mark.usefixtures("emulated")
def test_the_emulator_counts_as_many_units_of_each_design_as_our_counter() -> None:
    emulated, not_entered = dict[str, float](), Metered(SCHEMAS)
    for row in of_versions():
        row.prepare(not_entered)
        with metered() as units:
            row.do(not_entered)
        emulated[row.what] = sum(units)

    assert emulated == {line.what: line.cells[0] for line in counted(of_versions())}


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("in_hand", [1, 40, 200])
def test_the_emulator_brings_facts_in_as_many_messages_as_the_bill_has_for_them(in_hand: int) -> None:
    reported = DomainEvent.from_wire(sample("domain", "state-reported"))
    events = [reported._replace(id=f"report-{number}") for number in range(in_hand)]
    sent = tuple(SentFact(event.type, len(strict_json.dumps(event.to_wire()).encode())) for event in events)
    url = _subscribe(f"queue-{in_hand}")

    publish(events, source=SOURCE)

    found = cut(sent, in_hand, SOURCE)
    messages = _receive(url, round(in_hand / found.facts))
    facts = [one.read().event.id for one in received(messages)]
    assert Counter(facts) == Counter(event.id for event in events)
    sizes = [len(_compact(one["body"])) for one in messages]
    assert max(sizes) <= BILLED_BYTES
    assert sum(sizes) == pytest.approx((found.size + ENVELOPE_BYTES) * len(messages), rel=0.1)


def _compact(body: str) -> bytes:
    """Return JSON as AWS writes it; the emulator adds spaces."""
    return strict_json.dumps(strict_json.loads(body)).encode()


def _subscribe(queue: str) -> str:
    """Bring all that is published to a queue; return its address."""
    url = str(aws.call("sqs", "create_queue", QueueName=queue)["QueueUrl"])
    if BUS not in [one["Name"] for one in aws.call("events", "list_event_buses")["EventBuses"]]:
        aws.call("events", "create_event_bus", Name=BUS)
    aws.call("events", "put_rule", Name=queue, EventBusName=BUS, EventPattern=f'{{"source": ["{SOURCE}"]}}')
    arn = f"arn:aws:sqs:{REGION}:000000000000:{queue}"
    aws.call("events", "put_targets", Rule=queue, EventBusName=BUS, Targets=[{"Id": queue, "Arn": arn}])
    return url


def _receive(url: str, count: int) -> list[QueueMessage]:
    """Receive so many messages, and see that there are no more."""
    messages = list[QueueMessage]()
    while found := aws.call("sqs", "receive_message", QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1).get(
        "Messages"
    ):
        messages += [{"messageId": one["MessageId"], "body": one["Body"]} for one in found]
    assert len(messages) == count
    return messages


PAPER = [table for table in TABLES if table.head.endswith("| paper |")]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.head)
def test_a_page_has_the_costs_that_are_counted_and_none_differs_from_paper(table: Table) -> None:
    lines = [*counted(table.rows())]

    assert [line.what for line in lines if line.differs] == []
    assert (table in PAPER) == any(line.paper is not None for line in lines) == (not table.page)
    page = (project().root / "docs" / table.page).read_text() if table.page else table.text(lines)
    assert table.text(lines) in page, "write them anew: make costs"


def test_what_is_not_as_on_paper_is_pointed_at() -> None:
    cells = {"is": (4.0, 4.0), "is nearly": (1.04, 1.0), "is not": (3.0, 2.0), "is free": (0.0, None)}

    text = PAPER[0].text([Line(what, [cell], paper) for what, (cell, paper) in cells.items()])

    assert [line for line in text.splitlines() if "differs" in line] == ["| is not | 3.00 | 2.00 |  <- differs"]


def test_a_photo_that_is_there_already_costs_half_as_much() -> None:
    first, another, again, stored = (line.cells[0] for line in counted(of_photos()))

    assert again < another < first / 2 < stored


def test_objects_are_cheaper_from_five_events_of_a_group_and_from_a_hundred_rows_on() -> None:
    events, lists = ({line.what: line.cells for line in counted(of())} for of in (of_events, of_lists))

    assert [what for what, (table, objects, _, _) in events.items() if objects < table] == ["5", "10", "100"]
    assert [what for what, (_, _, table, objects) in events.items() if objects < table] == ["10", "100"]
    assert [what for what, (table, objects) in lists.items() if objects < table] == ["100", "1,000"]

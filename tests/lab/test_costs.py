from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from andon.events.domain_event import DomainEvent
from andon.events.publish import GROUPED, publish
from andon.events.received import received
from andon.runtime import strict_json
from andon.runtime.message_batch import QueueMessage
from andon.testing.create_table import create_table_request
from andon.testing.memory.meter import TableOrIndex, Used
from andon.testing.samples import sample
from andon.tools.stack import emulator
from andon.tools.stack.aws import KEY, REGION
from andon.wire import aws
from lab import report_units, version_units
from lab.report_units import ON_PAPER, REPORTS
from lab.simulate.counted import SentFact
from lab.simulate.grouping import ENVELOPE_BYTES, cut
from lab.simulate.limits import BILLED_BYTES
from lab.version_units import CONTENT_BYTES, DESIGNS, SCHEMAS, WriteUnits

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
    emulated = []
    for design in DESIGNS:
        for kb, size in CONTENT_BYTES.items():
            design.change(f"{design.name} {kb}", 1, "x" * size)
            with metered() as units:
                design.change(f"{design.name} {kb}", 2, "x" * size)
            emulated.append(sum(units))

    assert emulated == [figure.counted for figure in version_units.count()]


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
    assert max(sizes) <= BILLED_BYTES.value
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


def test_every_way_of_keeping_versions_and_every_function_costs_what_it_does_on_paper() -> None:
    assert not any(figure.differs for figure in version_units.count())
    assert report_units.differing(report_units.count()) == []


def test_what_is_not_as_on_paper_is_pointed_at() -> None:
    def used(units: float) -> Used:
        return Used(writes=Counter({(TableOrIndex("T"), "p"): round(units)}))

    of_functions = {name: used(paper * REPORTS) for name, paper in ON_PAPER.items()}
    assert report_units.differing(of_functions) == []

    of_functions["dispatch sweep"] = used(ON_PAPER["dispatch sweep"] * REPORTS * 2)
    lines = report_units.report(of_functions).splitlines()
    assert [line.split("  ")[0] for line in lines if "<- differs" in line] == ["dispatch sweep"]

    text = version_units.report([WriteUnits("two tables", 1, 4.0, 4), WriteUnits("by time", 2, 3.0, 2)])
    assert [("differs" in line) for line in text.splitlines()] == [False, False, True]

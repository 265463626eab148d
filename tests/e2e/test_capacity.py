"""What each command of equipment costs: its requests and units, asked of the emulator, which counts as DynamoDB does.

Rows here are under 1 KB. A row costs two units in a transaction; the index of the history by time costs one more
with each revision. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from andon.testing.lambda_context import LambdaContext
from andon.testing.lambda_events import http_event
from andon.tools.stack.stack import Stack
from andon.wire import aws
from services.equipment.command import handler
from tests.support.deployed.tables import TABLES, in_this_process
from tests.support.either_wire import over
from tests.support.services.versions import AUDIT, DELETE, PUT, ROLLBACK, equipment, tag

_numbers = count(1)


@dataclass(slots=True)
class Meter:
    """Adds up what requests to DynamoDB consume; hooks of the client."""

    tables: dict[str, str]
    requests: list[str] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)

    def ask(self, params: dict[str, Any], **_: object) -> None:
        """Want to be told, indexes included."""
        params["ReturnConsumedCapacity"] = "TOTAL"

    def note(self, model: Any, parsed: dict[str, Any], **_: object) -> None:  # noqa: ANN401  botocore's
        """Note what was told."""
        self.requests.append(model.name)
        units = self.read if model.name in {"GetItem", "Query"} else self.written
        consumed = parsed["ConsumedCapacity"]
        for one in consumed if isinstance(consumed, list) else [consumed]:
            units[self.tables[one["TableName"]]] += one["CapacityUnits"]


@pytest.fixture
def meter(stack: Stack) -> Iterator[Meter]:
    with in_this_process(stack), over(aws.BOTOCORE):
        meter = Meter({stack.outputs[output]: variable for variable, output in TABLES.items()})
        events = aws.client("dynamodb").meta.events
        events.register("provide-client-params.dynamodb", meter.ask)
        events.register("after-call.dynamodb", meter.note)
        yield meter


def _call(route: str, path: dict[str, str], body: object = None, if_match: int | None = None) -> None:
    event = http_event(route, path=path, body=body, headers=tag(if_match))
    assert handler(event, LambdaContext("equipment-command"))["statusCode"] < 300


Request = Callable[[dict[str, str]], None]


def create(it: dict[str, str]) -> None:
    _call(PUT, it, equipment())


def update(it: dict[str, str]) -> None:
    _call(PUT, it, equipment("another"), 1)


def delete(it: dict[str, str]) -> None:
    _call(DELETE, it, if_match=1)


def roll_back(it: dict[str, str]) -> None:
    _call(ROLLBACK, it, {"toVersion": 1}, 2)


def audit(it: dict[str, str]) -> None:
    _call(AUDIT, {**it, "part": "_"}, {"result": "passed", "auditor": "Olga"})


def audit_again(it: dict[str, str]) -> None:
    _call(AUDIT, {**it, "part": "_"}, {"result": "failed", "auditor": "Olga"}, 1)


WRITE = "TransactWriteItems"
CURRENT, HISTORY = "EQUIPMENT_TABLE", "EQUIPMENT_HISTORY_TABLE"


@pytest.mark.parametrize(
    ("given", "command", "requests", "written", "read"),
    [
        ([], create, [WRITE], {CURRENT: 2, HISTORY: 3}, {}),
        ([create], update, [WRITE], {CURRENT: 2, HISTORY: 3}, {}),
        ([create], delete, ["GetItem", WRITE], {CURRENT: 2, HISTORY: 3}, {CURRENT: 1}),
        (
            [create, update],
            roll_back,
            ["GetItem", "GetItem", WRITE],
            {CURRENT: 2, HISTORY: 3},
            {CURRENT: 1, HISTORY: 1},
        ),
        # Two of them for the check that the equipment is registered.
        ([create], audit, [WRITE], {CURRENT: 6}, {}),
        ([create, audit], audit_again, [WRITE], {CURRENT: 6}, {}),
    ],
    ids=["create", "update", "delete", "rollback", "first audit", "audit"],
)
def test_a_command_costs_what_it_does_on_paper(
    meter: Meter,
    given: list[Request],
    command: Request,
    requests: list[str],
    written: dict[str, float],
    read: dict[str, float],
) -> None:
    it = {"id": f"metered {next(_numbers)}"}
    for request in given:
        request(it)
    meter.requests.clear()
    meter.written.clear()
    meter.read.clear()

    command(it)

    assert meter.requests == requests
    assert meter.written == written
    assert meter.read == read

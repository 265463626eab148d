"""A person, and mentions of them in every store of a factory in memory; the tool that erases them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, cast

import boto3

from andon.cdk.names import SWEPT_BUCKETS, pascal
from andon.packages.discovery import packages
from andon.packages.package import Package
from andon.project import project
from andon.recorded.archive import SHARDS
from andon.runtime.clock import DAY_MS
from andon.testing.environment import REGION, frozen_clock
from andon.testing.lambda_events import rule_message, sqs_event
from andon.testing.loop import Loop
from andon.testing.memory.hook import Answer, Call
from andon.testing.memory.objects import Objects
from andon.tools.erase.erase import Erasing, ErasureOrder, JobTable, run
from andon.tools.erase.stores import Clients, Stores
from andon.tools.stack.api import ApiClient, HttpResponse
from andon.versions.persons import KEYS
from tests.support.samples import NOW
from tests.support.services.versions import equipment

ID: Final = "0e1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7"
NAME: Final = "Ana Muñoz"
ALSO: Final = ("Ana", "Anita")

FAILURES: Final = "failures"
DEAD_LETTERS: Final = "StateLogDeadLetterQueueUrl"
WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "PutObject", "DeleteObject"})

BY_A_MACHINE: Final = rule_message(
    '{"detail": "Ana Muñoz"}'.encode("latin-1"), topic="Andon/equipment/Andon:1/state", client="Andon:1", at_ms=0
)
"""A message that is not UTF-8: it stays in Base64."""

EQUIPMENT, ARCHIVE = Package("services", "equipment"), Package("stores", "archive")
STATE_LOG, BOARD = Package("views", "state_log"), Package("views", "board")

Everything = tuple[dict[str, Any], dict[str, dict[str, bytes]], list[dict[str, str]]]


@dataclass(frozen=True, slots=True)
class LoopApi:
    """The API, as an admin sees it, by the handlers in this process."""

    loop: Loop

    def get(self, path: str) -> HttpResponse:
        """GET a person."""
        return self.request("GET", path)

    def request(self, method: str, path: str) -> HttpResponse:
        """Send a request about a person."""
        answer = self.loop.request(f"{method} /people/{{id}}", path={"id": path.rpartition("/")[2]})
        return HttpResponse(answer.status, dict(answer.headers), json.dumps(answer.body).encode())


@dataclass(slots=True)
class Users:
    """The users of a pool, by their subjects, as Cognito's client answers about them."""

    names: dict[str, str] = field(default_factory=dict)
    signed_out: list[str] = field(default_factory=list)

    def list_users(self, *, UserPoolId: str, Filter: str) -> dict[str, Any]:  # noqa: ARG002, N803  boto3's
        """Return the user of a subject."""
        return {"Users": [{"Username": name} for sub, name in self.names.items() if Filter == f'sub = "{sub}"']}

    def admin_user_global_sign_out(self, *, UserPoolId: str, Username: str) -> None:  # noqa: ARG002, N803
        """Sign a user out."""
        self.signed_out.append(Username)

    def admin_delete_user(self, *, UserPoolId: str, Username: str) -> None:  # noqa: ARG002, N803
        """Delete a user."""
        self.names = {sub: name for sub, name in self.names.items() if name != Username}


@contextmanager
def factory() -> Iterator[Loop]:
    """Everything, empty, with a bucket of failures."""
    with Loop() as loop, frozen_clock(NOW):
        loop.store[FAILURES] = Objects()
        yield loop


@cache
def client(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Return the client of a service; to make one takes as long as an erasure."""
    return boto3.client(service, region_name=REGION)


def erasing(loop: Loop, users: Users | None = None) -> Erasing:
    """Return what erases people of the factory in memory."""
    dynamodb, s3, sqs = (client(name) for name in ("dynamodb", "s3", "sqs"))
    people = project().people
    if people is None:
        raise LookupError("the project has no people")
    stores = Stores.of(outputs_of(loop), people, Clients(dynamodb, s3, sqs, users or Users()))
    api = cast("ApiClient", LoopApi(loop))
    return Erasing(api, people, "pool", stores, JobTable(dynamodb, people.table, KEYS))


def outputs_of(loop: Loop) -> dict[str, str]:
    """Return the outputs of the stack that the world stands for."""
    tables = {pascal(table): table for table in loop.schemas}
    buckets = {pascal(variable): name for variable, name in loop.buckets.items()}
    contents = {package.contents.variable for package in packages() if package.contents}
    swept = ",".join([*(name for variable, name in loop.buckets.items() if variable not in contents), FAILURES])
    return {**tables, **buckets, SWEPT_BUCKETS: swept, DEAD_LETTERS: DEAD_LETTERS}


def erase(loop: Loop, asked: ErasureOrder | None = None, *, days: float = 0) -> list[str]:
    """Run `make erase`, so many days after now."""
    with frozen_clock(NOW + round(days * DAY_MS)):
        return [*run(erasing(loop), asked or ErasureOrder(ID, ALSO))]


def everything_of(loop: Loop) -> Everything:
    """Return all rows, objects and published events."""
    tables = {name: table.partitions for name, table in loop.tables.items()}
    return tables, {name: dict(one.bodies) for name, one in loop.store.items()}, list(loop.bus)


def put_back(loop: Loop, kept: Everything) -> None:
    """Make all rows, objects and events what they were."""
    tables, objects, bus = kept
    for name, partitions in tables.items():
        loop.tables[name].clear()
        loop.tables[name].partitions = partitions
    for name, bodies in objects.items():
        loop.store[name].bodies = dict(bodies)
    loop.bus = list(bus)


@contextmanager
def left_by_the_killed(loop: Loop) -> Iterator[list[tuple[str, Everything]]]:
    """Yield what a process would leave that ends before a write, for each write, with its operation."""
    left: list[tuple[str, Everything]] = []
    with seen(loop, lambda call: left.append((call.operation, everything_of(loop)))):
        yield left


@contextmanager
def seen(loop: Loop, see: Callable[[Call], None]) -> Iterator[None]:
    """See each write before AWS does it."""
    answer = loop.answer

    def seeing(call: Call) -> Answer:
        if call.operation in WRITES:
            see(call)
        return answer(call)

    loop.answer = seeing  # type: ignore[method-assign]
    try:
        yield
    finally:
        loop.answer = answer  # type: ignore[method-assign]


def plant(loop: Loop) -> None:
    """Mention the person in what people write, in a fault, a finding, a failure and all that is made of them."""
    loop.request("PUT /people/{id}", path={"id": ID}, body={"name": NAME, "factoryId": "gdl-1"})
    _register(loop, "press-7", f"{NAME}'s press")
    _register(loop, "press-8", "Annan")
    _register(loop, "press-7", "Anita's press", if_match=1)
    audit = {"result": "passed", "auditor": "1047", "notes": f'"{NAME}" said: C:\\Ana\nAnastasia, too'}
    loop.request("PUT /equipment/{id}/audits/{part}", path={"id": "press-7", "part": "belt"}, body=audit)
    _report(loop, "press-7", "Ana\nsaw Anaís; ask Anita")
    _report(loop, "press-8", "Anaís saw nothing")
    loop.run()
    _spoil(loop)
    loop.invoke(ARCHIVE, "sweep", {})
    failed = {"payload": json.dumps({"Records": [{"dynamodb": {"NewImage": {"detail": {"S": "Ana, again"}}}}]})}
    loop.store[FAILURES].bodies["aws/lambda/1"] = json.dumps(failed).encode()


def _spoil(loop: Loop) -> None:
    """Make faults of two messages, and a finding of a row that says what no event says."""
    loop.invoke(EQUIPMENT, "ingest", sqs_event([BY_A_MACHINE]))
    message = {"id": "1", "source": "equipment", "detail-type": "state-reported", "detail": {"note": f"{NAME} — Ana"}}
    loop.deliver(STATE_LOG, [json.dumps(message)])
    loop.run()
    [row] = [row for row in loop.tables["BOARD_TABLE"].rows() if row["EquipmentID"]["S"] == "press-8"]
    loop.restore("BOARD_TABLE", [{**row, "Name": {"S": "Ana broke it"}}])
    loop.new_records("BOARD_TABLE")
    loop.invoke(BOARD, "recompute", sqs_event(json.dumps({"shard": shard}) for shard in range(SHARDS)))
    loop.run()


def _register(loop: Loop, equipment_id: str, name: str, *, if_match: int | None = None) -> None:
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    loop.request("PUT /equipment/{id}", path={"id": equipment_id}, body=equipment(name), headers=headers)


def _report(loop: Loop, equipment_id: str, detail: str) -> None:
    path = {"id": equipment_id, "timestamp": "2020-04-27T10:00:00.000Z"}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": "ERROR", "detail": detail})

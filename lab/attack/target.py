"""A world under attack: the ways to it, in memory and deployed, what waits in it, and what is wrong with an answer."""

import base64
import http.client
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http import HTTPStatus
from random import Random
from threading import Barrier
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote_to_bytes, urlsplit
from uuid import NAMESPACE_OID, uuid5

from requests import PreparedRequest
from schemathesis import Case, Response
from schemathesis.checks import positive_data_acceptance, unsupported_method
from schemathesis.core.failures import AcceptedNegativeData, Failure, FailureGroup

from andon.cdk.names import DEAD_LETTERS
from andon.http.places import PREFIX
from andon.packages.package import Package
from andon.runtime.json_types import JsonObject
from andon.testing.gateway import HttpGateway, not_found
from andon.testing.memory.queues import name_in
from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.memory import InMemory
from andon.testing.proving.prover import Record
from andon.testing.proving.settings import settings
from andon.testing.proving.world import Faults
from andon.tools.ops import redrive as dead
from andon.tools.ops.redrive import BATCH, QUEUE
from andon.tools.stack.api import TIMEOUT_S, HttpResponse
from andon.wire import aws
from contract import groups
from lab.attack.operations import Operation, RawRequest, read

HIDDEN_S: Final = 5
"""A message that failed comes again so soon, so that five times are soon over."""

JOBS_S: Final = 15  # a replay, a look for drift or a rehydration takes longer
JOBS: Final = ("archive", "drift", "replays")
SETTLED_S: Final = 70  # a sweep, in memory
DRAINED_S: Final = 600
SETTLED: Final = 3  # looks in a row, each after a pause; a stream is read a moment after a write
PAUSE_S: Final = 0.3
HIDDEN: Final = "VisibilityTimeout"
WAITING: Final = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
LONE: Final = re.compile("[\ud800-\udfff]")
FATES: Final = ("applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")
STORES: Final = ("faults-", "drift-")
"""A message that these cannot keep is a dead letter by design, not a fault."""

NO_SECRETS: Final = ("ApiUrl", "Endpoint", "UserPoolId", "UserPoolClientId")
PAGE: Final = ("limit", "1000")
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
BROKEN: Final = 0  # the status of an answer that never came
LAMBDA_BYTES: Final = 6 * 1024 * 1024
"""https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

PROBLEM: Final = "application/problem+json"
# What API Gateway answers before any of our code runs.
BY_THE_GATEWAY: Final = {400, 401, 403, 404, 405, 413, 414, 431}
# Who may be told apart from a good request only by what no schema says, and a method is the gateway's.
UNCHECKED: Final = [positive_data_acceptance, unsupported_method]
# The routes that show, to admins and auditors and by design, a message or an event as it came.
AS_IT_CAME: Final = ("/faults", "/archive")

# No word of these may reach a client: the insides of Python, of its libraries and of AWS.
INSIDES: Final = re.compile(
    r"Traceback|\barn:aws|botocore|boto3|dynamodb|pydantic|functions/|/opt/|\.py\b|NoneType|Exception\b"
    r"|ConditionalCheck|line \d+ in",
    re.IGNORECASE,
)


class Caller(NamedTuple):
    """Who sends a request; at: the places that limit them."""

    role: str = groups.ADMIN
    at: tuple[str, ...] = ()


ADMIN: Final = Caller()


class Door(Protocol):
    """The ways to a world that no prover but this one needs."""

    def send(self, request: RawRequest, caller: Caller | None) -> HttpResponse:
        """Send a request; without a caller it has no token but its own."""

    def at_once(self, requests: Sequence[RawRequest]) -> list[HttpResponse]:
        """Send requests of admins at the same moment."""

    def enqueue(self, queue: str, bodies: Sequence[str]) -> None:
        """Put messages straight into a queue, by its name; nobody can put in what SQS refuses."""

    def announce(self, envelope: Mapping[str, Any], detail: str) -> None:
        """Put an event on the bus: source and type of an envelope, and a detail as JSON."""

    def settle(self) -> bool:
        """Wait until nothing waits in any queue; False if it did not come to that."""

    def dead_letters(self) -> list[tuple[str, str]]:
        """Take the dead letters out: queues and bodies."""

    def archive(self) -> None:
        """Let the archive's sweep run."""

    def lines(self) -> Iterator[str]:
        """Yield the lines that were logged."""


class _MemoryDoor:
    """Of a world in memory."""

    def __init__(self, world: InMemory) -> None:
        self._world, self._gateway = world, HttpGateway()

    def send(self, request: RawRequest, caller: Caller | None) -> HttpResponse:
        event = self._event(request, caller)
        return _response(self._world.call_at_once([event])[0] if event else not_found())

    def at_once(self, requests: Sequence[RawRequest]) -> list[HttpResponse]:
        events = [event for one in requests if (event := self._event(one, ADMIN))]
        return [*map(_response, self._world.call_at_once(events))]

    def enqueue(self, queue: str, bodies: Sequence[str]) -> None:
        for body in bodies:
            if not LONE.search(body):
                aws.call("sqs", "send_message", QueueUrl=self._world.address(queue), MessageBody=body)

    def announce(self, envelope: Mapping[str, Any], detail: str) -> None:
        entry = {"Source": envelope["source"], "DetailType": envelope["detail-type"], "Detail": detail}
        self._world.bus.append(entry)
        self._world.wait(0)

    def settle(self) -> bool:
        self._world.wait(SETTLED_S)
        return True

    def dead_letters(self) -> list[tuple[str, str]]:
        taken, self._world.dead = self._world.dead, []
        return taken

    def archive(self) -> None:
        self._world.invoke(Package("stores", "archive"), "sweep", {})

    def lines(self) -> Iterator[str]:
        return iter(self._world.lines)

    def _event(self, request: RawRequest, caller: Caller | None) -> JsonObject | None:
        path, _, query = request.target.partition("?")
        headers = {name: one.decode("latin-1") if isinstance(one, bytes) else one for name, one in request.headers}
        who = caller or ADMIN
        of = {"groups": [who.role, *(f"{PREFIX}{one}" for one in who.at)], "name": who.role}
        subject = str(uuid5(NAMESPACE_OID, who.role))
        body = request.body or b""
        method = request.method
        return self._gateway.event(
            method, unquote_to_bytes(path), query, headers=headers, body=body, subject=subject, **of
        )


def _response(answer: JsonObject) -> HttpResponse:
    body = str(answer.get("body") or "")
    said = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    return HttpResponse(answer["statusCode"], {name.lower(): one for name, one in answer["headers"].items()}, said)


class _DeployedDoor:
    """Of a stack. Every request has a connection of its own."""

    def __init__(self, world: DeployedWorld) -> None:
        self._stack = world.stack
        self._world, self._url, self._sqs = world, urlsplit(self._stack.outputs["ApiUrl"]), self._stack.client("sqs")
        self._queues = {
            name_in(url): url
            for name, url in self._stack.outputs.items()
            if name.endswith(QUEUE) and not name.endswith(DEAD_LETTERS)
        }

    def send(self, request: RawRequest, caller: Caller | None) -> HttpResponse:
        """Send a request; an answer that never came has the status 0."""
        token = None if caller is None else self._stack.token(caller.role, None, caller.at)
        connection = http.client.HTTPConnection(self._url.netloc, timeout=TIMEOUT_S)
        try:
            connection.putrequest(request.method, self._url.path + request.target, skip_accept_encoding=True)
            for name, value in request.headers:
                connection.putheader(name, value.encode() if isinstance(value, str) else value)
            if token is not None:
                connection.putheader("authorization", f"Bearer {token}")
            if request.body is not None:
                connection.putheader("content-length", str(len(request.body)))
            connection.endheaders(request.body)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return HttpResponse(response.status, names, response.read())
        except (OSError, http.client.HTTPException) as broken:
            return HttpResponse(BROKEN, {}, type(broken).__name__.encode())
        finally:
            connection.close()

    def at_once(self, requests: Sequence[RawRequest]) -> list[HttpResponse]:
        start = Barrier(len(requests))

        def run(request: RawRequest) -> HttpResponse:
            start.wait()
            return self.send(request, ADMIN)

        with ThreadPoolExecutor(len(requests)) as pool:
            return list(pool.map(run, requests))

    def enqueue(self, queue: str, bodies: Sequence[str]) -> None:
        some = [body for body in bodies if not LONE.search(body)]  # SQS refuses one, and the emulator fails at it
        for first in range(0, len(some), BATCH):
            entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(some[first : first + BATCH])]
            with suppress(self._sqs.exceptions.InvalidMessageContents):
                self._sqs.send_message_batch(QueueUrl=self._queues[queue], Entries=entries)

    def announce(self, envelope: Mapping[str, Any], detail: str) -> None:
        of = {"EventBusName": self._stack.outputs["BusName"], "Source": envelope["source"]}
        entry = {**of, "DetailType": envelope["detail-type"], "Detail": detail}
        self._stack.client("events").put_events(Entries=[entry])

    def settle(self) -> bool:
        empty = 0

        def settled() -> bool:
            nonlocal empty
            waits = any(int(one) for url in self._queues.values() for one in self._of(url, *WAITING).values())
            empty = 0 if waits else empty + 1
            if empty <= SETTLED:
                time.sleep(PAUSE_S)
            return empty > SETTLED

        return self._world.until(settled, within_s=DRAINED_S)

    def dead_letters(self) -> list[tuple[str, str]]:
        names = {url: name for name, url in self._queues.items()}
        taken: list[tuple[str, str]] = []
        for pair in dead.pairs(self._stack.outputs):
            while some := self._sqs.receive_message(QueueUrl=pair.dead_letters, MaxNumberOfMessages=BATCH).get(
                "Messages"
            ):
                for one in some:
                    self._sqs.delete_message(QueueUrl=pair.dead_letters, ReceiptHandle=one["ReceiptHandle"])
                    taken.append((names[pair.queue], one["Body"]))
        return taken

    def archive(self) -> None:
        self._stack.client("lambda").invoke(FunctionName=self._stack.outputs["ArchiveSweep"], Payload=b"{}")

    def lines(self) -> Iterator[str]:
        return (line for place, text in self._world.texts() if place == "log" for line in text.splitlines())

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Let what failed come again after seconds; then as it was."""
        before = {url: self._of(url, HIDDEN) for url in self._queues.values()}
        for name, url in self._queues.items():
            hidden_s = JOBS_S if name.startswith(JOBS) or not name.endswith("-Queue") else HIDDEN_S
            self._sqs.set_queue_attributes(QueueUrl=url, Attributes={HIDDEN: str(hidden_s)})
        try:
            yield
        finally:
            for url, attributes in before.items():
                self._sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)

    def _of(self, url: str, *names: str) -> dict[str, str]:
        found: dict[str, str] = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]
        return found


class Target:
    """A world under attack; stack: of a deployed one.

    acknowledged: the reports of each machine that the API took: the state by the time. unanswered: those of which
    nobody knows whether it did.
    """

    def __init__(self, world: InMemory | DeployedWorld, record: Record, door: Door, secrets: Sequence[str]) -> None:
        self.world, self.record, self.door, self.operations = world, record, door, read()
        self.stack = world.stack if isinstance(world, DeployedWorld) else None
        self.acknowledged: dict[str, dict[str, str]] = defaultdict(dict)
        self.unanswered: dict[str, dict[str, str]] = defaultdict(dict)
        self._secrets, self._judged = secrets, dict[tuple[object, ...], list[str]]()

    def send(self, request: RawRequest, role: str = groups.ADMIN, *at: str) -> HttpResponse:
        """Send a request as somebody of a group, limited to places."""
        return self.door.send(request, Caller(role, at))

    def ask(self, name: str, path: Mapping[str, str] | None = None, *, content: object = None) -> HttpResponse:
        """Send a good request to a route."""
        return self.send(self.operation(name).request(path, content=content))

    def operation(self, name: str) -> Operation:
        """Find an operation by its route."""
        return next(one for one in self.operations if one.name == name)

    def report(self, machine: str, state: str, at: str) -> HttpResponse:
        """Report a state, and keep what has to be there for it, or may be."""
        answer = self.ask(REPORT, {"id": machine, "timestamp": at}, content={"state": state})
        made = self.acknowledged if answer.status == HTTPStatus.CREATED else self.unanswered
        made[machine][at] = state
        return answer

    def items(self, name: str, **path: str) -> list[Any]:
        """Read all items of a list, by its route."""
        request, query, found = self.operation(name).request(path), [PAGE], list[Any]()
        while (answer := self.send(request.asking(query))).status == HTTPStatus.OK:
            found += answer.json["items"]
            if "cursor" not in answer.json:
                break
            query = [PAGE, ("cursor", answer.json["cursor"])]
        return found

    def faults(self) -> list[str]:
        """Return all faults as the API shows them, each with its message."""
        one = self.operation("GET /faults/{id}")
        return [
            self.judged("every fault can be read", one, one.request({"id": fault["id"]})).body.decode(errors="replace")
            for fault in self.items("GET /faults")
        ]

    def settle(self) -> None:
        """Let all that waits be dealt with."""
        self.record.expect("queues run dry", self.door.settle())

    def dead_letters(self) -> list[str]:
        """Take the dead letters of views and services out."""
        return [body for queue, body in self.door.dead_letters() if not queue.startswith(STORES)]

    def until(self, done: Callable[[], object], *, within_s: float) -> bool:
        """Let time pass until something is so."""
        return self.world.until(done, within_s=within_s)

    def judged(self, sentence: str, operation: Operation, request: RawRequest, *more: str) -> HttpResponse:
        """Send a request as an admin, and expect an answer as documented; more: what is wrong either way."""
        answer = self.send(request)
        self.note(sentence, request, answer, [*self.effects(operation, answer), *more])
        return answer

    def note(self, sentence: str, request: RawRequest, answer: HttpResponse, effects: Sequence[str]) -> None:
        """Count an attempt; what is missing of every answer is wrong whatever was sent."""
        shown = f"{request.curl} -> {answer.status}"
        self.record.expect(sentence, not effects, f"{', '.join(effects)}: {shown}")
        if not is_by_the_gateway(answer):
            missing = [*without_headers(answer)]
            self.record.expect("every answer has its headers", not missing, f"{missing}: {shown}")

    def effects(self, operation: Operation, answer: HttpResponse, case: Case[Any] | None = None) -> list[str]:
        """Return the faults of an answer; `case`: schemathesis's form of the request."""
        if answer.status == BROKEN:
            return [f"no answer ({answer.body.decode()})"]
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return [str(answer.status), *self._leaks(operation, answer)]
        if is_by_the_gateway(answer):
            return [] if answer.status in BY_THE_GATEWAY else [f"{answer.status} by the gateway"]
        said = (operation.name, answer.status, answer.headers.get("content-type"), answer.body)
        if case or said not in self._judged:  # many are refused in the same words
            self._judged[said] = [*_undocumented(case or operation.case(), answer), *self._leaks(operation, answer)]
        return self._judged[said]

    def compare(self) -> None:
        """Compare logs with what was acknowledged, and add up what listeners say of what they received."""
        self.settle()
        self.until(lambda: not any(self._differences()), within_s=60)
        differences = dict(self._differences())
        for machine in self.acknowledged:
            self.record.expect("logs are what was acknowledged", machine not in differences, differences.get(machine))
        counts = defaultdict[str, Counter[str]](Counter)
        for line in (json.loads(one) for one in self.door.lines() if '"materialized"' in one):
            counts[line["view"]].update({name: line[name] for name in ("received", *FATES) if name in line})
        for view, found in counts.items():
            is_whole = found["received"] == sum(found[fate] for fate in FATES)
            self.record.expect("each message has one fate", is_whole, f"{view}: {dict(found)}")

    def _differences(self) -> Iterator[tuple[str, str]]:
        for machine, reports in self.acknowledged.items():
            shown = {log["timestamp"]: log["state"] for log in self.items("GET /equipment/{id}/logs", id=machine)}
            missing = sorted(reports.items() - shown.items())
            extra = sorted(shown.items() - reports.items() - self.unanswered[machine].items())
            if missing or extra:
                yield machine, f"{machine}: {len(missing)} missing, {missing[:3]}; {len(extra)} too much, {extra[:3]}"

    def _leaks(self, operation: Operation, answer: HttpResponse) -> Iterator[str]:
        text = answer.body.decode(errors="replace")
        leaked = any(secret in text for secret in self._secrets) or INSIDES.search(text)
        if leaked and not operation.path.startswith(AS_IT_CAME):
            yield "tells of the insides"


def on(attack: Callable[[Target, Random], None]) -> Callable[[InMemory | DeployedWorld, Random, Record], None]:
    """Return the proof that attacks a world."""

    def prove(world: InMemory | DeployedWorld, dice: Random, record: Record) -> None:
        if isinstance(world, InMemory):
            attack(Target(world, record, _MemoryDoor(world), [*world.tables]), dice)
            return
        door, outputs = _DeployedDoor(world), world.stack.outputs
        with door.impatient():
            secrets = [value for name, value in outputs.items() if name not in NO_SECRETS]
            attack(Target(world, record, door, secrets), dice)

    return prove


def impatient(dice: Random, faults: Faults, **given: Any) -> InMemory:  # noqa: ANN401  see `InMemory`
    """Open a world in memory in which what failed comes again after seconds."""
    known = settings()
    queues = {name: one._replace(hidden_s=min(one.hidden_s, HIDDEN_S)) for name, one in known.queues.items()}
    return InMemory(dice, faults, deployed_as=known._replace(queues=queues), **given)


def _undocumented(case: Case[Any], answer: HttpResponse) -> Iterator[str]:
    if len(answer.body) > LAMBDA_BYTES:
        yield "more than 6 MB"
    sent = PreparedRequest()
    sent.prepare(case.method, "http://api/", headers={})
    headers = {name: [value] for name, value in answer.headers.items()}
    response = Response(answer.status, headers, answer.body, sent, elapsed=0, verify=False)
    try:
        case.validate_response(response, excluded_checks=UNCHECKED)
    except (FailureGroup, Failure) as error:
        failures = error.exceptions if isinstance(error, FailureGroup) else [error]
        yield from (f"{answer.status}: {one.title}" for one in failures if not _is_of_a_link(one, answer))


def _is_of_a_link(failure: object, answer: HttpResponse) -> bool:
    """Return True if a token of a link that is nonsense was answered as one that is not good any more."""
    return isinstance(failure, AcceptedNegativeData) and answer.status == HTTPStatus.GONE


def is_by_the_gateway(answer: HttpResponse) -> bool:
    """Return True if no code of ours answered."""
    return "x-request-id" not in answer.headers and answer.headers.get("content-type") != PROBLEM


def is_refused(answer: HttpResponse) -> bool:
    """Return True if it was refused as invalid, as no route, or as the token of a link that is not good."""
    return answer.status in (BY_THE_GATEWAY if is_by_the_gateway(answer) else {HTTPStatus.BAD_REQUEST, HTTPStatus.GONE})


def without_headers(answer: HttpResponse) -> Iterator[str]:
    """Yield the headers that an answer of ours lacks."""
    if "x-request-id" not in answer.headers:
        yield "x-request-id"
    if answer.headers.get("x-content-type-options") != "nosniff":
        yield "nosniff"

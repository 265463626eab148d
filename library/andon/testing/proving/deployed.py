"""The deployed world: a stack of its own on this machine, with real queues and processes, by the clock on the wall.

Facts are published twice, and workers are killed by SIGKILL at an age that dice say; nothing else is made here, for the
emulator's queues deliver as they do.
"""

import json
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Final, Self

from andon.dynamodb.attribute_values import Item, to_plain, to_typed
from andon.events.group import unpacked
from andon.outbound import mail, sms
from andon.outbound.variables import SINK
from andon.packages.discovery import packages, services
from andon.runtime import clock
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.testing.loop import Answer
from andon.testing.proving.prover import Opened
from andon.testing.proving.world import NO_FAULTS, Faults, Outside, Post
from andon.tools.listings import keys_in, rows_of, unpacked_body
from andon.tools.stack import emulator, processes
from andon.tools.stack.api import ApiClient, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack, bring_up

_QUEUE: Final = "every-fact"
_RENEWED: Final = "_RENEWED"
"""A variable that no handler reads: with another value of it, processes begin anew."""

_KILLED_EVERY_S: Final = 0.1
_OLDEST_S: Final = 1.2
"""Workers are killed at an age up to this: their start takes a third of it."""

_ENTRIES: Final = 10  # of a request, on the bus


def _pascal(variable: str) -> str:
    """Return the name of the output of a variable, as the CDK writes it."""
    return "".join(word.capitalize() for word in variable.split("_"))


class DeployedWorld(AbstractContextManager["DeployedWorld"]):
    """A world that is deployed, see `LivingWorld`. stack: to be asked for what no other world has."""

    makes = frozenset({"kill", "twice"})

    def __init__(
        self, stack: Stack, home: Path, dice: Random, faults: Faults, *, outside: Outside, variables: Mapping[str, str]
    ) -> None:
        self.outside, self.stack, self._variables = outside, stack, variables
        self.counts, self.occasions = Counter[str](), Counter[str]()
        self._home, self._dice, self._faults = home, dice, faults
        self._facts: dict[str, JsonObject] = {}
        self._server = ThreadingHTTPServer((emulator.HOST, 0), _handler_of(outside))
        self._server.daemon_threads, self._server.block_on_close = True, False
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        """Let senders call the hosts of this part, hear every fact, and begin to kill."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._functions = {one.get("Description", ""): one["FunctionName"] for one in self._listed()}
        self._before = {file: self._environment(file) for file in self._functions if file.endswith("/sender")}
        self.configure()
        self._hear()
        if self._faults.kill:
            threading.Thread(target=self._kill, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stack as it was."""
        self.calm()
        for file, variables in self._before.items():
            self._set(file, variables)
        bus, name = self.stack.client("events"), self.stack.outputs["BusName"]
        bus.remove_targets(Rule=_QUEUE, EventBusName=name, Ids=["1"])
        bus.delete_rule(Name=_QUEUE, EventBusName=name)
        self.stack.client("sqs").delete_queue(QueueUrl=self._queue)
        self._is_over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def now_ms(self) -> int:
        """The time."""
        return clock.now_ms()

    def request(
        self,
        route: str,
        *,
        path: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        groups: Iterable[str] = ("admin",),
    ) -> Answer:
        """Call a route as a user of the first group; without groups as nobody."""
        method, _, template = route.partition(" ")
        known = {f"{{{name}}}": value for name, value in (path or {}).items()}
        target = path_of(*(known.get(part, part) for part in template.strip("/").split("/")))
        group = next(iter(groups), None)
        api = self.stack.api(group) if group else ApiClient(self.stack.outputs["ApiUrl"])
        answer = api.request(method, target, body, {**headers} if headers else None)
        return Answer(answer.status, answer.headers, answer.json)

    def publish(self, source: str, events: Iterable[JsonMapping]) -> None:
        """Put facts on the bus, some of them twice."""
        bus, name = self.stack.client("events"), self.stack.outputs["BusName"]
        doubled = [one for event in events for one in [event] * (1 + self._happens("twice", self._faults.twice))]
        entries = [
            {"EventBusName": name, "Source": source, "DetailType": one["type"], "Detail": json.dumps(one)}
            for one in doubled
        ]
        for first in range(0, len(entries), _ENTRIES):
            refused = bus.put_events(Entries=entries[first : first + _ENTRIES])["FailedEntryCount"]
            if refused:
                raise ToolFailed(f"the bus refused {refused} facts")

    def facts(self, *types: str) -> list[JsonObject]:
        """Return the facts of some types that the bus took."""
        sqs = self.stack.client("sqs")
        while found := sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=_ENTRIES).get("Messages"):
            for one in found:
                self._facts |= {event["id"]: {**event} for event in unpacked(json.loads(one["Body"])["detail"])}
                sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=one["ReceiptHandle"])
        return [fact for fact in self._facts.values() if fact["type"] in types]

    def put(self, table: str, rows: Iterable[Item]) -> None:
        """Put rows into a table."""
        for row in rows:
            self.stack.client("dynamodb").put_item(TableName=self.stack.outputs[_pascal(table)], Item=to_typed(row))

    def rows(self, table: str) -> list[Item]:
        """Return all rows of a table."""
        return [to_plain(row) for row in rows_of(self.stack.client("dynamodb"), self.stack.outputs[_pascal(table)])]

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield all that it keeps and logs."""
        client, s3 = self.stack.client("logs"), self.stack.client("s3")
        for page in client.get_paginator("describe_log_groups").paginate():
            for group in page["logGroups"]:
                for lines in client.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"]):
                    yield "log", "\n".join(line["message"] for line in lines["events"])
        for bucket in (one["Name"] for one in s3.list_buckets()["Buckets"]):
            for key in keys_in(s3, bucket):
                body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
                yield "objects", unpacked_body(body).decode(errors="replace")
        for table in (name for package in packages() for name in package.tables):
            yield table, json.dumps(self.rows(table), default=str)

    def secret(self, variable: str) -> str:
        """Return the value of a secret."""
        client = self.stack.client("secretsmanager")
        return str(client.get_secret_value(SecretId=self.stack.outputs[_pascal(variable)])["SecretString"])

    def rotate(self, variable: str, value: str) -> None:
        """Give a secret another value, and let processes begin anew that read it."""
        client = self.stack.client("secretsmanager")
        client.put_secret_value(SecretId=self.stack.outputs[_pascal(variable)], SecretString=value)
        for file in self._functions:
            if variable in (known := self._environment(file)):
                self._set(file, {**known, _RENEWED: str(time.time_ns())})

    def configure(self, **variables: str) -> None:
        """Let the environment of senders be that of the stage, with the hosts of this part, and some more variables."""
        url = f"http://{emulator.HOST}:{self._server.server_port}"
        hosts = {f"AWS_ENDPOINT_URL_{one.variable}": f"{url}/{one.host}.amazonaws.com" for one in (mail.SES, sms.SNS)}
        for file, before in self._before.items():
            self._set(file, {**before, SINK: url, **hosts, **self._variables, **variables})

    def calm(self) -> None:
        """Make no fault any more."""
        self._faults = NO_FAULTS

    def wait(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def until(self, done: Callable[[], object], *, within_s: float) -> bool:
        """Wait until something is so; return False if it was not in time."""
        return processes.eventually(lambda: bool(done()), within_s=within_s)

    def _listed(self) -> Iterator[JsonObject]:
        pages = self.stack.client("lambda").get_paginator("list_functions").paginate()
        return (one for page in pages for one in page["Functions"])

    def _environment(self, file: str) -> dict[str, str]:
        found = self.stack.client("lambda").get_function_configuration(FunctionName=self._functions[file])
        variables: dict[str, str] = found.get("Environment", {}).get("Variables", {})
        return variables

    def _set(self, file: str, variables: Mapping[str, str]) -> None:
        client = self.stack.client("lambda")
        client.update_function_configuration(
            FunctionName=self._functions[file], Environment={"Variables": {**variables}}
        )

    def _hear(self) -> None:
        """Let a queue of its own have every fact of the services."""
        sqs, bus, name = self.stack.client("sqs"), self.stack.client("events"), self.stack.outputs["BusName"]
        self._queue = sqs.create_queue(QueueName=_QUEUE)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        pattern = {"source": [package.name for package in services()]}
        bus.put_rule(Name=_QUEUE, EventBusName=name, EventPattern=json.dumps(pattern))
        bus.put_targets(Rule=_QUEUE, EventBusName=name, Targets=[{"Id": "1", "Arn": arn}])

    def _happens(self, fault: str, share: float) -> bool:
        if share:
            self.occasions[fault] += 1
            self.counts[fault] += (happens := self._dice.random() < share)
            return happens
        return False

    def _kill(self) -> None:
        """Kill workers at an age that dice say, until it is calm."""
        hit = [name for file, name in self._functions.items() if self._faults.hits(file.rpartition("/")[2])]
        marks = tuple(f"{emulator.scratch(self._home)}/ministack-lambda-{name}-" for name in hit)
        dice, ends = Random(self._dice.random()), dict[int, float]()  # noqa: S311  its own: it is a thread of its own
        while self._faults.kill:
            for pid in _workers(marks):
                if pid not in ends:
                    self.occasions["kill"] += 1
                    ends[pid] = time.monotonic() + dice.uniform(0, _OLDEST_S)
                elif ends[pid] <= time.monotonic():
                    with suppress(ProcessLookupError):  # it has just ended by itself
                        os.kill(pid, signal.SIGKILL)
                        self.counts["kill"] += 1
            time.sleep(_KILLED_EVERY_S)


def _workers(marks: tuple[str, ...]) -> Iterator[int]:
    """Yield the running workers of functions: nobody else's have such a mark in their command line."""
    for found in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            line = processes.command_line(int(found.name))
            state = (found / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            if state != "Z" and any(mark in line for mark in marks):
                yield int(found.name)


def _handler_of(outside: Outside) -> type[BaseHTTPRequestHandler]:
    """Return the server of all hosts: `/<host><path>` is a request to `https://<host><path>`."""
    turn = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:
                return  # whoever sent it was killed meanwhile
            with turn:
                reply = outside(Post(clock.now_ms(), f"https:/{self.path}", body))
            time.sleep(reply.late_s)
            with suppress(OSError):  # who asked does not wait any more
                self.send_response(reply.status)
                if reply.location:
                    self.send_header("location", reply.location)
                self.send_header("content-length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def deployed() -> Iterator[Opened]:
    """Bring up a stack of its own, in which each part has its world, one after the other."""
    with tempfile.TemporaryDirectory(prefix="andon-prove-") as folder:
        home = Path(folder)
        with step("starting an emulator"):
            running = emulator.start(home, emulator.free_port(), lifeline=True)
        try:
            yield partial(DeployedWorld, bring_up(home, running), home)
        finally:
            emulator.stop(home, running)

"""Counts of a report's work for each function: a few machines report to the real handlers for some hours.

AWS is in memory, and the clock is ours. What AWS would charge and limit is counted for each function, so the figures
follow from the code: whoever changes what a report writes, changes them.

A metric of our own is a name by a view, or by a service, whatever its values are. It is counted from functions' lines,
in an hour in which machines report, and in one in which nothing happens. A metric is paid for by the hour in which it
has values, so that what is seldom written is left out: what trouble adds.
"""

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from math import ceil
from typing import Any, Final, NamedTuple, Self
from unittest.mock import patch

from andon.dynamodb.schema import TableSchema
from andon.events.group import unpacked
from andon.events.received import received
from andon.packages.discovery import subscribers_of
from andon.packages.package import Package
from andon.runtime import clock, log, strict_json, times
from andon.runtime.json_types import JsonObject
from andon.runtime.log import STAGE
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import rule_message, sqs_event
from andon.testing.loop import Answer
from andon.testing.memory.hook import Call
from andon.testing.memory.meter import Meter, Used
from andon.testing.memory.tables import AppliedWrite, MemoryTable, Record
from andon.testing.samples import sample
from andon.testing.world import alone
from contract.entities.reports import REPORTS_AT_ONCE
from lab.metered import HTTP, Metered
from lab.simulate.limits import IOT_MESSAGE_BYTES
from services.anomalies.control import MODELS
from services.anomalies.model import Model, version_of
from services.equipment.things import MACHINE

EQUIPMENT: Final = Package("services", "equipment")
"""The service that machines report to."""

PUT: Final = "PUT /equipment/{id}/states/{timestamp}"
POST: Final = "POST /states"

QUEUED: Final = frozenset({"listener", "ingest"})
"""Roles that a queue feeds, and that say which messages they could not take."""

EVERY_S: Final = 300
STEP_S: Final = 10
WARM_UP_S: Final = 2 * 3_600  # then the sweeps take out as much as is put in, and look-backs of two hours are full
BEGIN_MS: Final = 1_790_000_000_000 // 3_600_000 * 3_600_000

DUE: Final = "due#"
"""Prefix of the partitions that hold what is due; see `andon/rules/timing.py`."""


class Way(StrEnum):
    """A machine's way to report: a request of its own, 100 of them at once by a gateway, or a message over MQTT."""

    PUT = "a PUT each"
    POST = "POST of 100"
    MQTT = "MQTT each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Machines and their way to report. abnormal: the share of reports that are not NORMAL.

    A gateway posts the reports of all of them at once; else each machine reports at a time of its own.
    """

    machines: int = 40
    seconds: int = 3_600
    abnormal: float = 0.0
    way: Way = Way.PUT

    @classmethod
    def of(cls, way: Way, *, abnormal: float = 0.0) -> Self:
        """Return the fleet that is counted for a way to report; a gateway's is as many machines as it may post."""
        machines = {"machines": REPORTS_AT_ONCE} if way == Way.POST else {}
        return cls(way=way, abnormal=abnormal, **machines)


class PackageMetric(NamedTuple):
    """A name by the `view` or the `service` of a package, or by neither; every stage has its own."""

    dimension: str
    package: str
    name: str


class SentFact(NamedTuple):
    """A fact that a function published: its type, and the bytes of its JSON."""

    type: str
    size: int


@dataclass(slots=True)
class FunctionCalls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The counts of so many reports; by function, as `board listener`.

    facts: in the order in which a function published them, by the source that it publishes for. published: facts that
    a package gets, by their source and its name; "lake" gets all. queued: messages of other queues, by their names.
    late_ms: of what was due, by table. row_bytes: that a report leaves in each table, its indexes with it.
    response_bytes: of the API, that a report is answered with. pushed: messages to screens that a report makes, of up
    to 5 KB each. screen: what a screen's read of a board takes for each machine: read units, bytes of the response.
    """

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, FunctionCalls]
    facts: Mapping[tuple[str, str], tuple[SentFact, ...]]
    published: Mapping[tuple[str, str], int]
    queued: Mapping[str, int]
    late_ms: Mapping[str, Sequence[int]]
    row_bytes: Mapping[str, float]
    metrics: frozenset[PackageMetric]
    response_bytes: float
    pushed: float
    screen: tuple[float, float]

    @property
    def requests(self) -> float:
        """The requests to the API that a report is."""
        calls = self.calls.get("equipment command")
        return len(calls.records) / self.reports if calls else 0.0

    @property
    def write_units(self) -> dict[str, float]:
        """The write units of a report, by function."""
        return {name: used.write_units / self.reports for name, used in self.used.items() if used.write_units}

    @property
    def fact_bytes(self) -> float:
        """The bytes of the facts of a report."""
        return sum(fact.size for facts in self.facts.values() for fact in facts) / self.reports

    @property
    def subscribers(self) -> list[str]:
        """The packages that get facts of reports."""
        return sorted({package for _, package in self.published})

    def facts_to(self, package: str) -> float:
        """Return the facts of a report that a package gets."""
        return sum(count for (_, to), count in self.published.items() if to == package) / self.reports


class CountedLoop(Metered):
    """The loop in memory, counted as `Counted` says; `used` also by the name that `on_behalf_of` says."""

    batch = sys.maxsize  # the model has batches of its own

    def __init__(self, schemas: dict[str, TableSchema] | None = None) -> None:
        self.used: dict[str, Used] = defaultdict(Used)
        self.calls: dict[str, FunctionCalls] = defaultdict(FunctionCalls)
        self.facts: dict[tuple[str, str], list[SentFact]] = defaultdict(list)
        self.published: Counter[tuple[str, str]] = Counter()
        self.queued: Counter[str] = Counter()
        self.metrics: set[PackageMetric] = set()
        self.late_ms: dict[str, list[int]] = defaultdict(list)
        self.screen_messages = 0
        self._who, self._package, self._log_bytes = "", "", 0
        super().__init__(schemas, _DueMeter(self.late_ms))

    @contextmanager
    def on_behalf_of(self, name: str) -> Iterator[Used]:
        """Count what follows for one function."""
        before, self._who = self._who, name
        try:
            yield self.used[name]
        finally:
            self._who = before

    def forget(self) -> None:
        """Count anew; the rows stay."""
        super().forget()
        for counts in (self.used, self.calls, self.facts, self.published, self.queued, self.metrics, self.late_ms):
            counts.clear()
        self.screen_messages = 0

    def stored_bytes(self) -> Counter[str]:
        """Return the bytes in each table and its indexes."""
        stored = Counter[str]()
        for place, size in self.meter.stored.items():
            stored[place.table] += size
        return stored

    def count_line(self, line: str) -> None:
        """Count a line that a function logs; it stands in for `log.write`."""
        self._log_bytes += len(f"{line}\n".encode())
        self.metrics.update(metrics_in(line, self._package))

    def call(self, event: JsonObject) -> Answer:
        """Send an HTTP event to the handler of its route.

        Raises:
            RuntimeError: it refuses the request.

        """
        answer = super().call(event)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{event['routeKey']}: {answer.body}")
        return answer

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """Call a handler as it is deployed, and count it.

        Raises:
            RuntimeError: it could not take a message.

        """
        name, records = f"{package.name} {role}", event.get("Records", [event])
        # Of a listener, facts count, however many came in a message.
        count = len([*received(records)] if role == "listener" else records)
        self._log_bytes, self._package = 0, package.name
        with self.on_behalf_of(name):
            response = package.handler(role)(event, LocalContext(f"Andon-{package.name}-{role}"))
        if role in HTTP:
            self.answers.append(len((response.get("body") or "").encode()))
        if role == "ingest":
            self.queued[name] += count
        if role in QUEUED and (failed := response["batchItemFailures"]):
            raise RuntimeError(f"{package.name} could not take {len(failed)} messages")
        self.calls[name].records.append(count)
        self.calls[name].log_bytes.append(self._log_bytes)
        return response

    def listen(self, bodies: list[str]) -> None:
        """Deliver messages to every package that subscribes to them; stores' own functions are not in the sample."""
        for envelope in map(json.loads, alone(bodies)):
            subscribed = subscribers_of(envelope["source"], envelope["detail-type"])
            names = ("lake", *(package.name for package in subscribed if package.side != "stores"))
            self.published.update((envelope["source"], name) for name in names)
        super().listen(bodies)

    def deliver_all(self, package: Package, bodies: list[str], *, role: str = "listener") -> None:
        """Deliver messages to a package, all at once."""
        if package.side != "stores":
            super().deliver_all(package, bodies, role=role)

    def new_records(self, table: str) -> list[Record]:
        """Return a stream's records since the last call, without those that the mapping's filter drops."""
        partition = self.tables[table].keys.partition
        return [
            one for one in super().new_records(table) if not one["dynamodb"]["Keys"][partition]["S"].startswith(DUE)
        ]

    def answer(self, call: Call) -> JsonObject:
        """Answer one call, and count it."""
        self.meter.used = self.used[self._who]
        if call.operation == "PutEvents":
            for entry in call.request["Entries"]:
                facts = unpacked(strict_json.loads(entry["Detail"]))
                sent = (SentFact(entry["DetailType"], len(strict_json.dumps(fact).encode())) for fact in facts)
                self.facts[self._who, entry["Source"]] += sent
        if call.operation == "Publish":
            self.screen_messages += iot_messages(call.request["payload"])
        return super().answer(call)


class _DueMeter(Meter):
    """late_ms: how long after its time what was due was taken out, by table."""

    def __init__(self, late_ms: dict[str, list[int]]) -> None:
        super().__init__()
        self._late_ms = late_ms

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:
        super().wrote(table, write, times=times)
        key, old, new = write
        if new is None and old is not None and key[table.keys.partition]["S"].startswith(DUE):
            self._late_ms[table.name].append(clock.now_ms() - int(old["at"]["N"]))


def iot_messages(payload: bytes | str) -> int:
    """Return the messages that AWS IoT counts for one; topics are short, and count as its first bytes."""
    size = len(payload.encode() if isinstance(payload, str) else payload)
    return max(1, ceil(size / IOT_MESSAGE_BYTES))


def metrics_in(line: str, package: str) -> Iterator[PackageMetric]:
    """Yield what CloudWatch reads from a line of a package's function."""
    if '"_aws"' not in line:
        return
    for directive in json.loads(line)["_aws"]["CloudWatchMetrics"]:
        for own in ([name for name in one if name != STAGE] for one in directive["Dimensions"]):
            for metric in directive["Metrics"]:
                yield PackageMetric(own[0] if own else "", package if own else "", metric["Name"])


class Factory(CountedLoop):
    """Machines of one factory, and the functions that they report to."""

    def __init__(self, machines: int) -> None:
        self.machines = [f"press-{number:07d}" for number in range(machines)]
        self._waiting: list[str] = []
        super().__init__()

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        return super().variables() | dict.fromkeys(("STAGE", "POWERTOOLS_SERVICE_NAME"), "simulated")

    def __enter__(self) -> Self:
        super().__enter__()
        self.now.ms = BEGIN_MS
        for place, name, stand_in in (
            (log, "write", self.count_line),
            (MODELS, "refresh", lambda **_: None),  # S3 is not counted
            (MODELS, "model", Model.of(_trained(self.machines))),
        ):
            self._stack.enter_context(patch.object(place, name, stand_in))
        equipment, roster = body_in("register-equipment"), body_in("set-roster")
        for machine in self.machines:
            self.request("PUT /equipment/{id}", path={"id": machine}, body=equipment)
        factory = {"factoryId": equipment["factoryId"]}
        self.request("PUT /factories/{factoryId}/roster", path=factory, body=roster)
        self.run()
        return self

    def report(self, machine: str, state: str, way: Way = Way.PUT) -> None:
        """Let a machine report; what is published, or is its gateway's, waits until `arrive`."""
        said = {"state": state, "timestamp": times.to_utc(self.now.ms), "detail": "spindle at 81 °C"}
        if way == Way.PUT:
            path = {"id": machine, "timestamp": said.pop("timestamp")}
            self.request(PUT, path=path, body=said)
        elif way == Way.POST:
            self._waiting.append(json.dumps({"equipmentId": machine, **said}))
        else:
            thing = f"Andon:{machine}"
            topic, text = f"Andon/{MACHINE.name}/{thing}/{MACHINE.last}", json.dumps(said).encode()
            self._waiting.append(rule_message(text, topic=topic, client=thing, at_ms=self.now.ms))

    def arrive(self, way: Way) -> None:
        """Deliver what waits: all at once by the factory's gateway, or from the things' queue."""
        waiting, self._waiting = self._waiting, []
        if waiting and way == Way.POST:
            reports, name = [json.loads(one) for one in waiting], body_in("register-equipment")["factoryId"]
            self.request(POST, body=reports, groups=("gateway",), name=name)
        elif waiting:
            self.invoke(EQUIPMENT, "ingest", sqs_event(waiting))

    def screen(self) -> tuple[float, float]:
        """Let a screen read all machines; return the read units and the bytes of that for each of them."""
        company, machines = body_in("register-equipment")["location"]["company"], max(1, len(self.machines))
        self.request("GET /board/{company}", path={"company": company})
        return self.used["board query"].reads / machines, self.answers[-1] / machines


def count(fleet: Fleet) -> Counted:
    """Let the fleet report; count what comes after the warm-up."""
    dice = random.Random(17)  # noqa: S311  no secret
    with Factory(fleet.machines) as factory:
        reports_at, reports, before = _timetable(fleet, dice), 0, factory.stored_bytes()
        for second in range(0, WARM_UP_S + fleet.seconds, STEP_S):
            if second == WARM_UP_S:
                factory.forget()
                before, reports = factory.stored_bytes(), 0
            due = reports_at.get(second // STEP_S, [])
            _step(factory, fleet, dice, second, due)
            reports += len(due)
        grown, of_one = factory.stored_bytes(), max(1, reports)
        grown.subtract(before)
        return Counted(
            fleet=fleet,
            reports=reports,
            facts={key: tuple(facts) for key, facts in factory.facts.items()},
            published=dict(factory.published),
            queued=dict(factory.queued),
            late_ms=dict(factory.late_ms),
            row_bytes={name: max(0.0, size / of_one) for name, size in grown.items()},
            metrics=frozenset(factory.metrics),
            response_bytes=sum(factory.answers) / of_one,
            pushed=factory.screen_messages / of_one,
            used=dict(factory.used),
            calls=dict(factory.calls),
            screen=factory.screen(),  # the last, whose own requests are in none of those before
        )


def _timetable(fleet: Fleet, dice: random.Random) -> dict[int, list[tuple[int, int]]]:
    """Return the reports of each step: second and machine."""
    table: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for machine in range(fleet.machines):
        first = 0 if fleet.way == Way.POST else dice.randrange(EVERY_S)
        for second in range(first, WARM_UP_S + fleet.seconds, EVERY_S):
            table[second // STEP_S].append((second, machine))
    return {step: sorted(reports) for step, reports in table.items()}


def _step(factory: Factory, fleet: Fleet, dice: random.Random, second: int, due: Iterable[tuple[int, int]]) -> None:
    for at, number in due:
        factory.now.ms = BEGIN_MS + at * 1_000
        factory.report(factory.machines[number], "WARNING1" if dice.random() < fleet.abnormal else "NORMAL", fleet.way)
    if fleet.way == Way.POST:
        factory.arrive(fleet.way)
    factory.now.ms = max(factory.now.ms, BEGIN_MS + second * 1_000) + 2_000  # until it arrives
    if fleet.way == Way.MQTT:
        factory.arrive(fleet.way)
    factory.run()
    if (second + STEP_S) % 60 == 0:
        factory.now.ms = BEGIN_MS + (second + STEP_S) * 1_000
        factory.sweep(is_whole=True)


def _trained(machines: Iterable[str]) -> JsonObject:
    """Return the content of a model of machines that reported every five minutes for weeks, now and then a warning."""
    gap = {"median": 300, "mad": 5}
    states = {
        "NORMAL": {"rate": {"median": 11, "mad": 1, "of": 672}, "gap": {**gap, "of": 7_200}},
        "WARNING1": {"rate": {"median": 2, "mad": 1, "of": 400}, "gap": {**gap, "of": 800}},
    }
    trained, until = (
        {name: {"reports": 8_000, "hours": 672, "states": states} for name in machines},
        "2026-01-01T00:00:00.000Z",
    )
    return {"version": version_of(until, trained), "trainedUntil": until, "machines": trained}


def body_in(request: str) -> Any:  # noqa: ANN401  JSON
    """Return the body of a sample of a request."""
    return json.loads(sample("http", request)["body"])

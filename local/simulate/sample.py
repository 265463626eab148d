"""A few machines through the real handlers for some hours: what a report makes each function do, counted.

Commands, triggers, listeners and sweeps are those that are deployed; AWS is `CountedAws`, and the clock is ours. So the
figures follow from the code: whoever changes what a report writes, changes them.
"""

import json
import os
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Self
from unittest.mock import patch

from contract import times
from local.bench.trained import model_of
from local.bench.workload import SAMPLES
from local.in_process.lambda_context import LambdaContext
from local.in_process.lambda_events import bus_members, http_event, sqs_event
from local.simulate.counted_aws import CountedAws, Used
from patterns.packages.discovery import follower_of_table, owner_of_route, packages, services, subscribers_of
from patterns.packages.package import Package
from patterns.runtime import clock, log
from services.anomalies.control import MODELS
from services.anomalies.model import Model

EVERY_S: Final = 300
STEP_S: Final = 10
ARRIVES_AFTER_MS: Final = 2_000
MINUTE_S: Final = 60
WARM_UP_S: Final = 2 * 3_600  # then the sweeps take out as much as is put in, and look-backs of two hours are full
BEGIN_MS: Final = 1_790_000_000_000 // 3_600_000 * 3_600_000
DETAIL: Final = "spindle at 81 °C"
PUT: Final = "PUT /equipment/{id}/states/{timestamp}"
POST: Final = "POST /states"
POSTED_AT_ONCE: Final = 100
"""The most that `POST /states` takes: the machines of a gateway."""

ENVIRONMENT: Final = {
    "AWS_WIRE": "libcurl",
    "AWS_DEFAULT_REGION": "us-east-1",
    "BUS_NAME": "andon",
    "STAGE": "simulated",
    "LIVE_ROOT": "Andon",
    "POWERTOOLS_SERVICE_NAME": "simulated",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """How machines report. abnormal: the share of reports that are not NORMAL.

    batched: a gateway posts the reports of all of them at once; else each machine reports at a time of its own.
    """

    machines: int = 40
    seconds: int = 3_600
    abnormal: float = 0.0
    batched: bool = False


@dataclass(slots=True)
class Calls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted while so many reports were made; by function, as `board listener`."""

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, Calls]
    published: Mapping[str, int]  # messages by the package that subscribes; "lake" gets all
    late_ms: Mapping[str, Sequence[int]]
    decided: Mapping[str, int]
    row_bytes: Mapping[str, float]  # that a report leaves in each table, its indexes with it

    @property
    def requests(self) -> float:
        """The requests to the API that a report is."""
        return len(self.calls["equipment command"].records) / self.reports

    @property
    def write_units(self) -> dict[str, float]:
        """The write units of a report, by function."""
        return {name: used.write_units / self.reports for name, used in self.used.items() if used.write_units}


def count(fleet: Fleet) -> Counted:
    """Let the fleet report; count what comes after the warm-up."""
    with _Sample(fleet) as sample:
        return sample.run()


class _Sample:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._random = random.Random(17)  # noqa: S311  no secret
        self._schemas = {name: schema for package in packages() for name, schema in package.tables.items()}
        self._aws = CountedAws(self._schemas)
        self._calls: dict[str, Calls] = defaultdict(Calls)
        self._published: dict[str, int] = defaultdict(int)
        self._log_bytes = 0
        self._now_ms = BEGIN_MS
        self._reports = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        variables = ENVIRONMENT | {name: name for name in self._schemas}
        with ExitStack() as stack:
            stack.enter_context(patch.dict(os.environ, variables))
            stack.enter_context(patch.object(clock, "now_ms", lambda: self._now_ms))
            stack.enter_context(patch.object(MODELS, "refresh", lambda **_: None))  # S3 is not counted
            stack.enter_context(patch.object(MODELS, "model", Model.of(model_of(map(_name, self._machines)))))
            stack.enter_context(self._aws)
            stack.enter_context(patch.object(log, "write", self._count_line))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self) -> Counted:
        self._prepare()
        reports_at = self._timetable()
        bytes_before: dict[str, int] = {}
        for second in range(0, WARM_UP_S + self._fleet.seconds, STEP_S):
            if second == WARM_UP_S:
                self._forget()
                bytes_before = self._stored()
            self._step(second, reports_at.get(second // STEP_S, []))
        grown = {name: size - bytes_before.get(name, 0) for name, size in self._stored().items()}
        return Counted(
            fleet=self._fleet,
            reports=self._reports,
            used=dict(self._aws.used),
            calls=dict(self._calls),
            published=dict(self._published),
            late_ms=dict(self._aws.late_ms),
            decided=dict(self._aws.decided),
            row_bytes={name: max(0.0, size / max(1, self._reports)) for name, size in grown.items()},
        )

    def _prepare(self) -> None:
        """Register the machines, and who works in their factory."""
        equipment, roster = (_body(name) for name in ("register-equipment", "set-roster"))
        for machine in self._machines:
            self._request("PUT /equipment/{id}", path={"id": _name(machine)}, body=equipment)
        self._request("PUT /factories/{factoryId}/roster", path={"factoryId": equipment["factoryId"]}, body=roster)
        self._loop()

    @property
    def _machines(self) -> range:
        return range(self._fleet.machines)

    def _timetable(self) -> dict[int, list[tuple[int, int]]]:
        """Return which machines report in which step, and at which second of it."""
        table: dict[int, list[tuple[int, int]]] = defaultdict(list)
        end = WARM_UP_S + self._fleet.seconds
        for machine in self._machines:
            first = 0 if self._fleet.batched else self._random.randrange(EVERY_S)
            for second in range(first, end, EVERY_S):
                table[second // STEP_S].append((second, machine))
        return {step: sorted(reports) for step, reports in table.items()}

    def _step(self, second: int, reports: Sequence[tuple[int, int]]) -> None:
        said = []
        for at, machine in reports:
            self._now_ms = BEGIN_MS + at * 1_000
            said.append(self._said(machine))
            if not self._fleet.batched:
                self._put(said[-1])
        if said and self._fleet.batched:
            self._request(POST, body=said, groups=("gateway",), name=_body("register-equipment")["factoryId"])
        self._reports += len(said)
        self._now_ms = max(self._now_ms, BEGIN_MS + second * 1_000) + ARRIVES_AFTER_MS
        self._loop()
        if (second + STEP_S) % MINUTE_S == 0:
            self._now_ms = BEGIN_MS + (second + STEP_S) * 1_000
            for package in services():
                if package.has("sweep"):
                    self._invoke(package, "sweep", {}, records=1)
            self._loop()

    def _said(self, machine: int) -> dict[str, str]:
        state = "WARNING1" if self._random.random() < self._fleet.abnormal else "NORMAL"
        at = times.to_utc(self._now_ms)
        return {"equipmentId": _name(machine), "timestamp": at, "state": state, "detail": DETAIL}

    def _put(self, said: Mapping[str, str]) -> None:
        path = {"id": said["equipmentId"], "timestamp": said["timestamp"]}
        self._request(PUT, path=path, body={"state": said["state"], "detail": said["detail"]})

    def _loop(self) -> None:
        """Bring changes to triggers and events to listeners until there are none."""
        moved = True
        while moved:
            moved = False
            for table in [name for name, schema in self._schemas.items() if schema.stream]:
                if records := self._aws.new_records(table):
                    package, role = follower_of_table(table)
                    self._invoke(package, role, {"Records": records}, records=len(records))
                    moved = True
            if entries := self._aws.new_entries():
                self._deliver(entries)
                moved = True

    def _deliver(self, entries: Sequence[Mapping[str, str]]) -> None:
        batches: dict[Package, list[str]] = defaultdict(list)
        for number, entry in enumerate(entries):
            members = bus_members(str(number), self._now_ms)
            detail = json.loads(entry["Detail"])
            body = {**members, "source": entry["Source"], "detail-type": entry["DetailType"], "detail": detail}
            self._published["lake"] += 1
            for package in subscribers_of(entry["Source"], entry["DetailType"]):
                if package.side != "stores":
                    batches[package].append(json.dumps(body))
        for package, bodies in batches.items():
            self._published[package.name] += len(bodies)
            failed = self._invoke(package, "listener", sqs_event(bodies), records=len(bodies))["batchItemFailures"]
            if failed:
                raise RuntimeError(f"{package.name} could not take {len(failed)} messages")

    def _request(self, route: str, **parts: Any) -> None:  # noqa: ANN401  see `http_event`
        package, role = owner_of_route(route)
        response = self._invoke(package, role, http_event(route, **parts), records=1)
        if response["statusCode"] >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{route}: {response['body']}")

    def _invoke(self, package: Package, role: str, event: dict[str, Any], *, records: int) -> Any:  # noqa: ANN401
        name = f"{package.name} {role}"
        self._log_bytes = 0
        with self._aws.on_behalf_of(name):
            response = package.handler(role)(event, LambdaContext(f"Andon-{package.name}-{role}"))
        self._calls[name].records.append(records)
        self._calls[name].log_bytes.append(self._log_bytes)
        return response

    def _count_line(self, line: str) -> None:
        self._log_bytes += len(f"{line}\n".encode())

    def _forget(self) -> None:
        self._aws.forget_counts()
        self._calls.clear()
        self._published.clear()
        self._reports = 0

    def _stored(self) -> dict[str, int]:
        stored: dict[str, int] = defaultdict(int)
        for place, size in self._aws.stored_bytes().items():
            stored[place.table] += size
        return stored


def _name(machine: int) -> str:
    return f"press-{machine:07d}"


def _body(sample: str) -> Any:  # noqa: ANN401  JSON
    return json.loads(json.loads((SAMPLES / "http" / f"{sample}.json").read_text())["body"])

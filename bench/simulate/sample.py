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
from typing import Any, Final, Self
from unittest.mock import patch

from andon.packages.discovery import packages
from andon.runtime import clock, log, times
from bench.simulate.counted import Counted
from bench.simulate.counted_aws import CountedAws
from bench.simulate.fleet import EVERY_S, Fleet
from bench.simulate.loop import Loop
from bench.simulate.settings import POST, PUT
from bench.trained import model_of
from bench.workload import SAMPLES
from services.anomalies.control import MODELS
from services.anomalies.model import Model

STEP_S: Final = 10
ARRIVES_AFTER_MS: Final = 2_000
MINUTE_S: Final = 60
WARM_UP_S: Final = 2 * 3_600  # then the sweeps take out as much as is put in, and look-backs of two hours are full
BEGIN_MS: Final = 1_790_000_000_000 // 3_600_000 * 3_600_000
DETAIL: Final = "spindle at 81 °C"

ENVIRONMENT: Final = {
    "AWS_WIRE": "libcurl",
    "AWS_DEFAULT_REGION": "us-east-1",
    "BUS_NAME": "andon",
    "STAGE": "simulated",
    "LIVE_ROOT": "Andon",
    "POWERTOOLS_SERVICE_NAME": "simulated",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
}


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
        self._loop = Loop(self._schemas, self._aws)
        self._now_ms = BEGIN_MS
        self._reports = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        variables = ENVIRONMENT | {name: name for name in self._schemas}
        with ExitStack() as stack:
            stack.enter_context(patch.object(clock, "now_ms", lambda: self._now_ms))
            stack.enter_context(patch.object(MODELS, "refresh", lambda **_: None))  # S3 is not counted
            stack.enter_context(patch.object(MODELS, "model", Model.of(model_of(map(_name, self._machines)))))
            stack.enter_context(self._aws)
            stack.enter_context(patch.dict(os.environ, variables))
            stack.enter_context(patch.object(log, "write", self._loop.count_line))
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
            calls=dict(self._loop.calls),
            published=dict(self._loop.published),
            late_ms=dict(self._aws.late_ms),
            decided=dict(self._aws.decided),
            row_bytes={name: max(0.0, size / max(1, self._reports)) for name, size in grown.items()},
            metrics=frozenset(self._loop.metrics),
        )

    def _prepare(self) -> None:
        """Register the machines, and who works in their factory."""
        equipment, roster = (_body(name) for name in ("register-equipment", "set-roster"))
        for machine in self._machines:
            self._loop.request("PUT /equipment/{id}", path={"id": _name(machine)}, body=equipment)
        factory = {"factoryId": equipment["factoryId"]}
        self._loop.request("PUT /factories/{factoryId}/roster", path=factory, body=roster)
        self._loop.settle()

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
            self._loop.request(POST, body=said, groups=("gateway",), name=_body("register-equipment")["factoryId"])
        self._reports += len(said)
        self._now_ms = max(self._now_ms, BEGIN_MS + second * 1_000) + ARRIVES_AFTER_MS
        self._loop.settle()
        if (second + STEP_S) % MINUTE_S == 0:
            self._now_ms = BEGIN_MS + (second + STEP_S) * 1_000
            self._loop.sweep()

    def _said(self, machine: int) -> dict[str, str]:
        state = "WARNING1" if self._random.random() < self._fleet.abnormal else "NORMAL"
        at = times.to_utc(self._now_ms)
        return {"equipmentId": _name(machine), "timestamp": at, "state": state, "detail": DETAIL}

    def _put(self, said: Mapping[str, str]) -> None:
        path = {"id": said["equipmentId"], "timestamp": said["timestamp"]}
        self._loop.request(PUT, path=path, body={"state": said["state"], "detail": said["detail"]})

    def _forget(self) -> None:
        self._aws.forget_counts()
        self._loop.forget_counts()
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

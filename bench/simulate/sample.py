"""Counts a report's work for each function: a few machines report to the real handlers for some hours.

Commands, triggers, listeners and sweeps are those that are deployed; AWS is `CountedAws`, and the clock is ours. So the
figures follow from the code: whoever changes what a report writes, changes them.
"""

import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Self
from unittest.mock import patch

from andon.packages.discovery import packages
from andon.runtime import clock, log, times
from bench.simulate.counted import EVERY_S, Counted, Fleet
from bench.simulate.counted_aws import CountedAws
from bench.simulate.loop import Loop
from bench.simulate.settings import POST, PUT
from bench.workload import SAMPLES
from services.anomalies.control import MODELS
from services.anomalies.model import Model, version_of

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

TRAINED_UNTIL: Final = "2026-01-01T00:00:00.000Z"
USUAL: Final = {
    "NORMAL": {"rate": {"median": 11, "mad": 1, "of": 672}, "gap": {"median": 300, "mad": 5, "of": 7_200}},
    "WARNING1": {"rate": {"median": 2, "mad": 1, "of": 400}, "gap": {"median": 300, "mad": 5, "of": 800}},
}
"""The model of a machine that reported every five minutes for weeks, now and then a warning."""


class Factory(AbstractContextManager["Factory"]):
    """Machines of one factory, the functions that they report to, and `now_ms`, the time for all of them."""

    def __init__(self, machines: int) -> None:
        self.machines = [f"press-{number:07d}" for number in range(machines)]
        self.now_ms = BEGIN_MS
        self.aws = CountedAws({name: schema for package in packages() for name, schema in package.tables.items()})
        self.loop = Loop(self.aws)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        model = Model.of(_trained(self.machines))
        with ExitStack() as stack:
            stack.enter_context(patch.object(clock, "now_ms", lambda: self.now_ms))
            stack.enter_context(patch.object(MODELS, "refresh", lambda **_: None))  # S3 is not counted
            stack.enter_context(patch.object(MODELS, "model", model))
            stack.enter_context(self.aws)
            stack.enter_context(patch.dict(os.environ, ENVIRONMENT | {name: name for name in self.aws.schemas}))
            stack.enter_context(patch.object(log, "write", self.loop.count_line))
            self._register()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def put(self, machine: str, state: str) -> None:
        """Let a machine report by itself."""
        path = {"id": machine, "timestamp": times.to_utc(self.now_ms)}
        self.loop.request(PUT, path=path, body={"state": state, "detail": DETAIL})

    def post(self, reports: Sequence[dict[str, str]]) -> None:
        """Let the factory's gateway post reports of many machines."""
        self.loop.request(POST, body=reports, groups=("gateway",), name=_body("register-equipment")["factoryId"])

    def forget_counts(self) -> None:
        """Count anew."""
        self.aws.forget_counts()
        self.loop.forget_counts()

    def stored(self) -> Counter[str]:
        """Return the bytes in each table and its indexes."""
        stored: Counter[str] = Counter()
        for place, size in self.aws.stored_bytes().items():
            stored[place.table] += size
        return stored

    def _register(self) -> None:
        equipment, roster = (_body(name) for name in ("register-equipment", "set-roster"))
        for machine in self.machines:
            self.loop.request("PUT /equipment/{id}", path={"id": machine}, body=equipment)
        factory = {"factoryId": equipment["factoryId"]}
        self.loop.request("PUT /factories/{factoryId}/roster", path=factory, body=roster)
        self.loop.settle()


def count(fleet: Fleet) -> Counted:
    """Let the fleet report; count what comes after the warm-up."""
    dice = random.Random(17)  # noqa: S311  no secret
    with Factory(fleet.machines) as factory:
        reports_at, reports = _timetable(fleet, dice), 0
        for second in range(0, WARM_UP_S + fleet.seconds, STEP_S):
            if second == WARM_UP_S:
                factory.forget_counts()
                before, reports = factory.stored(), 0
            due = reports_at.get(second // STEP_S, [])
            _step(factory, fleet, dice, second, due)
            reports += len(due)
        grown = factory.stored()
        grown.subtract(before)
        return Counted(
            fleet=fleet,
            reports=reports,
            used=dict(factory.aws.used),
            calls=dict(factory.loop.calls),
            published=dict(factory.loop.published),
            late_ms=dict(factory.aws.late_ms),
            row_bytes={name: max(0.0, size / max(1, reports)) for name, size in grown.items()},
            metrics=frozenset(factory.loop.metrics),
        )


def _timetable(fleet: Fleet, dice: random.Random) -> dict[int, list[tuple[int, int]]]:
    """Return the reports of each step: second and machine."""
    table: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for machine in range(fleet.machines):
        first = 0 if fleet.batched else dice.randrange(EVERY_S)
        for second in range(first, WARM_UP_S + fleet.seconds, EVERY_S):
            table[second // STEP_S].append((second, machine))
    return {step: sorted(reports) for step, reports in table.items()}


def _step(factory: Factory, fleet: Fleet, dice: random.Random, second: int, due: Iterable[tuple[int, int]]) -> None:
    posted = []
    for at, number in due:
        factory.now_ms = BEGIN_MS + at * 1_000
        machine, state = factory.machines[number], "WARNING1" if dice.random() < fleet.abnormal else "NORMAL"
        if fleet.batched:
            moment = times.to_utc(factory.now_ms)
            posted.append({"equipmentId": machine, "timestamp": moment, "state": state, "detail": DETAIL})
        else:
            factory.put(machine, state)
    if posted:
        factory.post(posted)
    factory.now_ms = max(factory.now_ms, BEGIN_MS + second * 1_000) + ARRIVES_AFTER_MS
    factory.loop.settle()
    if (second + STEP_S) % MINUTE_S == 0:
        factory.now_ms = BEGIN_MS + (second + STEP_S) * 1_000
        factory.loop.sweep()


def _trained(machines: Iterable[str]) -> dict[str, Any]:
    """Return the content of a model in which all machines are alike."""
    trained = {name: {"reports": 8_000, "hours": 672, "states": USUAL} for name in machines}
    return {"version": version_of(TRAINED_UNTIL, trained), "trainedUntil": TRAINED_UNTIL, "machines": trained}


def _body(sample: str) -> Any:  # noqa: ANN401  JSON
    return json.loads(json.loads((SAMPLES / "http" / f"{sample}.json").read_text())["body"])

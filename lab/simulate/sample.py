"""Counts a report's work for each function: a few machines report to the real handlers for some hours.

Commands, triggers, listeners and sweeps are those that are deployed; AWS is in memory, and the clock is ours. So the
figures follow from the code: whoever changes what a report writes, changes them.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Self
from unittest.mock import patch

from andon.runtime import clock, log, times
from andon.testing.lambda_events import rule_message, sqs_event
from lab.simulate.counted import EVERY_S, Counted, Fleet, ScreenRead, Way
from lab.simulate.counted_loop import CountedLoop
from lab.simulate.settings import EQUIPMENT, POST, PUT
from lab.workload import SAMPLES
from services.anomalies.control import MODELS
from services.anomalies.model import Model, version_of
from services.equipment.things import MACHINE

STEP_S: Final = 10
ARRIVES_AFTER_MS: Final = 2_000
MINUTE_S: Final = 60
WARM_UP_S: Final = 2 * 3_600  # then the sweeps take out as much as is put in, and look-backs of two hours are full
BEGIN_MS: Final = 1_790_000_000_000 // 3_600_000 * 3_600_000
DETAIL: Final = "spindle at 81 °C"

SIMULATED: Final = dict.fromkeys(("STAGE", "POWERTOOLS_SERVICE_NAME"), "simulated")

TRAINED_UNTIL: Final = "2026-01-01T00:00:00.000Z"
USUAL: Final = {
    "NORMAL": {"rate": {"median": 11, "mad": 1, "of": 672}, "gap": {"median": 300, "mad": 5, "of": 7_200}},
    "WARNING1": {"rate": {"median": 2, "mad": 1, "of": 400}, "gap": {"median": 300, "mad": 5, "of": 800}},
}
"""The model of a machine that reported every five minutes for weeks, now and then a warning."""


class Factory(CountedLoop):
    """Machines of one factory, the functions that they report to, and `now_ms`, the time for all of them."""

    def __init__(self, machines: int) -> None:
        self.machines = [f"press-{number:07d}" for number in range(machines)]
        self.now_ms = BEGIN_MS
        self._waiting: list[str] = []
        super().__init__()

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        return super().variables() | SIMULATED

    def __enter__(self) -> Self:
        super().__enter__()
        for place, name, stand_in in (
            (clock, "now_ms", lambda: self.now_ms),
            (log, "write", self.count_line),
            (MODELS, "refresh", lambda **_: None),  # S3 is not counted
            (MODELS, "model", Model.of(_trained(self.machines))),
        ):
            self._stack.enter_context(patch.object(place, name, stand_in))
        equipment, roster = (_body(name) for name in ("register-equipment", "set-roster"))
        for machine in self.machines:
            self.request("PUT /equipment/{id}", path={"id": machine}, body=equipment)
        factory = {"factoryId": equipment["factoryId"]}
        self.request("PUT /factories/{factoryId}/roster", path=factory, body=roster)
        self.run()
        return self

    def put(self, machine: str, state: str) -> None:
        """Let a machine report by itself."""
        path = {"id": machine, "timestamp": times.to_utc(self.now_ms)}
        self.request(PUT, path=path, body={"state": state, "detail": DETAIL})

    def publish(self, machine: str, state: str) -> None:
        """Let a machine report over MQTT; what the broker says of it waits in the queue until the next step."""
        said = json.dumps({"state": state, "timestamp": times.to_utc(self.now_ms), "detail": DETAIL})
        thing = f"Andon:{machine}"
        topic = f"Andon/{MACHINE.name}/{thing}/{MACHINE.last}"
        self._waiting.append(rule_message(said.encode(), topic=topic, client=thing, at_ms=self.now_ms))

    def ingest(self) -> None:
        """Deliver what things published."""
        if waiting := self._waiting:
            self._waiting = []
            self.invoke(EQUIPMENT, "ingest", sqs_event(waiting))

    def screen(self) -> ScreenRead:
        """Let a screen read all machines; return what that takes for each of them."""
        sent = self.response_bytes
        self.request("GET /board/{company}", path={"company": _body("register-equipment")["location"]["company"]})
        machines = max(1, len(self.machines))
        return ScreenRead(self.used["board query"].reads / machines, (self.response_bytes - sent) / machines)

    def post(self, reports: Sequence[dict[str, str]]) -> None:
        """Let the factory's gateway post reports of many machines."""
        self.request(POST, body=reports, groups=("gateway",), name=_body("register-equipment")["factoryId"])


def count(fleet: Fleet) -> Counted:
    """Let the fleet report; count what comes after the warm-up."""
    dice = random.Random(17)  # noqa: S311  no secret
    with Factory(fleet.machines) as factory:
        reports_at, reports = _timetable(fleet, dice), 0
        for second in range(0, WARM_UP_S + fleet.seconds, STEP_S):
            if second == WARM_UP_S:
                factory.forget_counts()
                before, reports = factory.stored_bytes(), 0
            due = reports_at.get(second // STEP_S, [])
            _step(factory, fleet, dice, second, due)
            reports += len(due)
        grown = factory.stored_bytes()
        grown.subtract(before)
        counted = Counted(
            fleet=fleet,
            reports=reports,
            used=dict(factory.used),
            calls=dict(factory.calls),
            facts={key: tuple(facts) for key, facts in factory.facts.items()},
            published=dict(factory.published),
            queued=dict(factory.queued),
            late_ms=dict(factory.late_ms),
            row_bytes={name: max(0.0, size / max(1, reports)) for name, size in grown.items()},
            metrics=frozenset(factory.metrics),
            response_bytes=factory.response_bytes / max(1, reports),
            pushed=factory.screen_messages / max(1, reports),
        )
        return replace(counted, screen=factory.screen())


def _timetable(fleet: Fleet, dice: random.Random) -> dict[int, list[tuple[int, int]]]:
    """Return the reports of each step: second and machine."""
    table: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for machine in range(fleet.machines):
        first = 0 if fleet.way == Way.POST else dice.randrange(EVERY_S)
        for second in range(first, WARM_UP_S + fleet.seconds, EVERY_S):
            table[second // STEP_S].append((second, machine))
    return {step: sorted(reports) for step, reports in table.items()}


def _step(factory: Factory, fleet: Fleet, dice: random.Random, second: int, due: Iterable[tuple[int, int]]) -> None:
    posted = []
    for at, number in due:
        factory.now_ms = BEGIN_MS + at * 1_000
        machine, state = factory.machines[number], "WARNING1" if dice.random() < fleet.abnormal else "NORMAL"
        if fleet.way == Way.POST:
            moment = times.to_utc(factory.now_ms)
            posted.append({"equipmentId": machine, "timestamp": moment, "state": state, "detail": DETAIL})
        elif fleet.way == Way.MQTT:
            factory.publish(machine, state)
        else:
            factory.put(machine, state)
    if posted:
        factory.post(posted)
    factory.now_ms = max(factory.now_ms, BEGIN_MS + second * 1_000) + ARRIVES_AFTER_MS
    factory.ingest()
    factory.run()
    if (second + STEP_S) % MINUTE_S == 0:
        factory.now_ms = BEGIN_MS + (second + STEP_S) * 1_000
        factory.sweep()


def _trained(machines: Iterable[str]) -> dict[str, Any]:
    """Return the content of a model in which all machines are alike."""
    trained = {name: {"reports": 8_000, "hours": 672, "states": USUAL} for name in machines}
    return {"version": version_of(TRAINED_UNTIL, trained), "trainedUntil": TRAINED_UNTIL, "machines": trained}


def _body(sample: str) -> Any:  # noqa: ANN401  JSON
    return json.loads(json.loads((SAMPLES / "http" / f"{sample}.json").read_text())["body"])

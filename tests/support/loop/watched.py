"""The whole loop in memory, message by message, with everything that must hold about it."""

import json
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Self

from andon.events.bus_entry import MAX_AHEAD_MS
from andon.events.change_data_capture import event_of
from andon.events.fault import TYPE as FAULT_TYPE
from andon.packages.discovery import follower_of_table, packages, readers, services, subscribers_of
from andon.packages.package import Package
from andon.runtime import clock, strict_json, texts, times
from andon.stores.faults.store import BUCKET
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event, sqs_event
from andon.testing.log_lines import LogLines, logged
from andon.testing.loop import Answer, Loop
from andon.testing.world import alone
from andon.views.outcome import Outcome
from demo.people import LIZ, SUE
from tests.support.lake import LAKE, lake_of, lines_of_messages
from tests.support.loop.model import LOG_DAYS, Log, Model
from tests.support.loop.odd_events import NO_FAULT, POISON, odd_body
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES, LATEST, LOGS, REPORT
from tests.support.services.reports import STATES as STATES_ROUTE
from tests.support.services.versions import AUDITS, GET, REVISIONS, VERSIONS

MACHINES: Final = ("press-7", "d#12345", "🏭" * 128)
STATES: Final = ("NORMAL", "WARNING1", "WARNING10", "ERROR")
PEOPLE: Final = (LIZ, SUE, "3f6d2c1e-8f0a-4b57-9a53-0c7d1f1e2a44")
PARTS: Final = ("_", "hydraulics")
COMPANY: Final = ("Acme", "Acme 2")

CALLER: Final = "somebody"
"""The subject of the tokens of `http_event`."""

MOST_STEPS: Final = 200
MAX_LIMIT: Final = "7"

BOARD, STANDING = "GET /board/{company}", "GET /equipment/{id}/board"
OPERATOR_LOGS, ESCALATIONS = "GET /operators/{operator}/logs", "GET /supervisors/{supervisor}/escalations"
FAULTS, FAULT, RESUBMIT = "GET /faults", "GET /faults/{id}", "POST /faults/{id}/resubmit"
STORE: Final = Package("stores", "faults")


class WatchedLoop(AbstractContextManager["WatchedLoop"]):
    """Real handlers over AWS in memory. A test moves each message itself; nothing flows by itself.

    ahead_ms: by how much the clock of the next invocation is ahead of the time.
    """

    def __init__(self, loop: Loop) -> None:
        """Begin with an empty loop."""
        loop.clear()
        self.ahead_ms = 0
        self._time_ms = NOW
        self._latest_ms = NOW
        self._loop = loop
        self._model = Model()
        self._lines: LogLines = []
        self._streams: dict[str, list[dict[str, Any]]] = {
            table: [] for table, schema in self._loop.schemas.items() if schema.stream
        }
        self._queues: dict[Package, list[str]] = {package: [] for package in packages() if package.subscriptions}
        self._on_the_bus: list[str] = []
        self._meant: dict[str, Any] = {}  # the images of each change that is an event, by its id
        self._unusable: set[str] = set()
        self._ahead: set[str] = set()
        self._acknowledged: set[Log] = set()
        self._kept: set[Log] = set()
        self._number = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        real, clock.now_ms = clock.now_ms, lambda: self.now_ms
        self._stack.callback(setattr, clock, "now_ms", real)
        self._lines = self._stack.enter_context(logged())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def now_ms(self) -> int:
        """The time of the clock."""
        now_ms = self._time_ms + self.ahead_ms
        self._latest_ms = max(self._latest_ms, now_ms)
        return now_ms

    # What a step does.

    def request(self, route: str, **parts: Any) -> Answer:  # noqa: ANN401  see `http_event`
        """Call a route, which never fails."""
        return self.call(http_event(route, **parts))

    def call(self, event: dict[str, Any]) -> Answer:
        """Send an HTTP event, which is never answered by a failure."""
        answer = self._loop.call(event)
        assert answer.status < 500, (event, answer, self._lines[-1]["exception"])
        return answer

    def report(self, machine: str, state: str, at_ms: int, detail: str | None) -> None:
        """Report a state; what is acknowledged must not be lost."""
        body = {"state": state} | ({} if detail is None else {"detail": detail})
        at = times.to_utc(at_ms)
        if self.request(REPORT, path={"id": machine, "timestamp": at}, body=body).status in {200, 201}:
            self._acknowledged.add((machine, state, at))
            self._kept.add((machine, state, at))

    def report_many(self, reports: list[tuple[str, str, int]]) -> None:
        """Report states, straight to the bus."""
        logs = [(machine, state, times.to_utc(at_ms)) for machine, state, at_ms in reports]
        body = [{"equipmentId": machine, "state": state, "timestamp": at} for machine, state, at in logs]
        if self.request("POST /states", body=body).status == 202:
            self._acknowledged |= set(logs)

    def log(self, which: int) -> dict[str, str]:
        """Return the path of a log that was reported, or of one that was not."""
        logs = [*sorted(self._acknowledged), (MACHINES[0], "ERROR", times.to_utc(self.now_ms))]
        machine, state, at = logs[which % len(logs)]
        return {"id": machine, "state": state, "timestamp": at}

    def odd_event(self, odd: str, machine: str, state: str) -> None:
        """Publish an event as a neighbour might."""
        self._number += 1
        self._collect()
        body = odd_body(odd, machine, state, number=self._number, now_ms=self.now_ms)
        if odd in POISON:
            self._unusable.add(body)
        if odd == NO_FAULT:
            assert self._deliver(STORE, [body]) == [body]
            assert self._lines.pop()["failed"] == 1
            self._on_the_bus.append(body)
            self._queues[LAKE].append(body)
            return
        self._to_queues(body, ("equipment", "state-reported"))

    def stream(self, which: int, size: int, *, twice: bool) -> None:
        """Deliver the next records of a stream."""
        self._collect()
        table = sorted(self._streams)[which % len(self._streams)]
        batch, self._streams[table] = self._streams[table][:size], self._streams[table][size:]
        for _ in range(1 + twice if batch else 0):
            package, role = follower_of_table(table)
            package.handler(role)({"Records": batch}, LocalContext(f"{package.name}-{role}"))
        self._collect()

    def queue(self, which: int, size: int, *, skip: int = 0, twice: bool = False) -> None:
        """Deliver some messages of a queue, in any order."""
        self._collect()
        package = [*self._queues][which % len(self._queues)]
        waiting = self._queues[package]
        batch = waiting[skip : skip + size] or waiting[:size]
        if not batch:
            return
        for body in batch:
            waiting.remove(body)
        for _ in range(1 + twice):
            assert self._deliver(package, batch) == [], "it was to come again, though AWS did not fail"
        self._collect()

    def sweep(self) -> None:
        """Run every sweep once."""
        for package in services():
            if package.plays("sweep"):
                package.handler("sweep")({}, LocalContext(f"{package.name}-sweep"))
        self._collect()

    def resubmit(self, which: int) -> None:
        """Resubmit a fault."""
        faults = self._pages(FAULTS)
        if faults:
            self.request(RESUBMIT, path={"id": faults[which % len(faults)]["id"]})
            self._collect()

    def pass_time(self, by_ms: int) -> None:
        """Move the time on."""
        self._time_ms += by_ms

    def reap(self) -> None:
        """Let the TTL service remove what has expired."""
        self._loop.reap(self._time_ms)

    def flow(self) -> None:
        """Deliver all that there is, and all that follows from it."""
        self._collect()
        for _ in range(MOST_STEPS):
            if not any(self._streams.values()) and not any(self._queues.values()):
                return
            for which in range(len(self._streams)):
                self.stream(which, 100, twice=False)
            for which in range(len(self._queues)):
                self.queue(which, 10)
        raise AssertionError("it never comes to rest")

    # What must hold.

    def settle(self) -> None:
        """Let everything flow, and decide what is due by then."""
        self.flow()
        self.sweep()
        self.flow()

    def check(self) -> None:
        """Check everything that must hold once nothing moves."""
        self._check_lines()
        self._check_logs()
        self._check_board()
        self._check_every_row()
        self._check_faults()
        self._check_lake()

    def _check_lines(self) -> None:
        for line in self._lines:
            if "received" in line:
                assert line["received"] == sum(line[outcome.value] for outcome in Outcome), line
            assert not line.get("failed"), line
            if line["message"] == "swept":
                assert line["errors"] == [], line

    def _check_logs(self) -> None:
        shown: dict[Log, dict[str, Any]] = {}
        for machine in {machine for machine, _, _ in (*self._model.logs, *self._acknowledged)}:
            for log in self._pages(LOGS, id=machine):
                key = log.pop("equipmentId"), log.pop("state"), log.pop("timestamp")
                assert key not in shown, f"twice: {key}"
                shown[key] = log
        for key, model in self._model.logs.items():
            if model.ttl > self._latest_ms // 1000 and not model.is_uncertain:
                assert shown.get(key) == model.shown(), (key, shown.get(key), model.shown())
        assert set(shown) <= set(self._model.logs)
        assert {log for log in self._acknowledged if self._is_kept(log)} <= set(shown) | set(map(_log_in, self._ahead))
        for machine in {machine for machine, _, _ in self._kept}:
            reports = {(machine, one["state"], one["timestamp"]) for one in self._pages(STATES_ROUTE, id=machine)}
            assert {log for log in self._kept if log[0] == machine and self._is_kept(log)} <= reports

    def _check_board(self) -> None:
        for machine, model in self._model.machines.items():
            model.grow_old(self._latest_ms)
            answer = self.request(STANDING, path={"id": machine})
            if model.is_uncertain:
                continue
            wanted = model.shown()
            assert answer.status == (404 if wanted is None else 200), (machine, answer)
            if wanted is not None:
                assert {name: answer.body[name] for name in wanted} == wanted

    def _check_every_row(self) -> None:
        """Ask every query for everything that a row is about."""
        machines = {row["DeviceID"] for row in self._loop.rows("STATE_LOG_TABLE")}
        machines |= {row["EquipmentID"] for row in self._loop.rows("BOARD_TABLE")}
        for table in ("EQUIPMENT_TABLE", "EQUIPMENT_HISTORY_TABLE", "DISPATCH_TABLE"):
            keys = [row["pk"].split("Equipment#", 1) for row in self._loop.rows(table) if "Equipment#" in row["pk"]]
            machines |= {key[1] for key in keys}
        for machine in sorted(machines):
            texts.identifier(machine)
            for route in (LOGS, STATES_ROUTE, EPISODES, VERSIONS, AUDITS):
                self._pages(route, id=machine)
            for route in (LATEST, STANDING, GET):
                self.request(route, path={"id": machine})
            for part in PARTS:
                self._pages(REVISIONS, id=machine, part=part)
        rows = self._loop.rows("STATE_LOG_TABLE")
        for person in {row[name] for row in rows for name in ("Operator", "EscalatedTo") if name in row}:
            self._pages(OPERATOR_LOGS, operator=person)
            self._pages(ESCALATIONS, supervisor=person)
        for company in COMPANY:
            listed = {one["equipmentId"] for one in self._pages(BOARD, company=company)}
            assert listed == {
                machine
                for machine, model in self._model.machines.items()
                if ((model.shown() or {}).get("location") or {}).get("company") == company
            }

    def _check_faults(self) -> None:
        listed = self._pages(FAULTS)
        assert len(listed) == len([one for one in self._loop.objects(BUCKET) if one["Key"].startswith("faults/")])
        shown = [self.request(FAULT, path={"id": fault["id"]}).body for fault in listed]
        known = {fault["message"] for fault in shown}
        unusable = self._unusable | self._ahead
        assert known <= unusable, known - unusable
        assert set(map(_said_in, known)) == set(map(_said_in, unusable)), unusable - known
        for fault in shown:
            assert fault.get("resubmissions", 0) >= len(fault.get("attempts", []))

    def _check_lake(self) -> None:
        """Everything that was on the bus is in the lake, as it was; what was delivered twice can be there twice."""
        lake = lake_of(self._loop)
        assert lake.unreadable == []
        assert set(lake.lines) == set(lines_of_messages(self._on_the_bus))
        details = {event["detail"].get("id"): event["detail"] for event in map(json.loads, lake.lines)}
        for event_id, meant in self._meant.items():
            assert details[event_id]["raw"] == meant, "both images of each change"

    def _is_kept(self, log: Log) -> bool:
        return times.to_ms(log[2]) // 1000 + LOG_DAYS * 86_400 > self._latest_ms // 1000

    def _pages(self, route: str, **path: str) -> list[dict[str, Any]]:
        """Read all pages of a list."""
        items: list[dict[str, Any]] = []
        query = {"limit": MAX_LIMIT}
        while True:
            answer = self.request(route, path=path, query=query)
            assert answer.status == 200, (route, path, answer)
            items += answer.body["items"]
            if "cursor" not in answer.body:
                return items
            query["cursor"] = answer.body["cursor"]

    # How messages move.

    def _deliver(self, package: Package, batch: list[str]) -> list[str]:
        """Deliver a batch; return what is to come again."""
        now_ms = self.now_ms
        again = self._loop.deliver(package, batch)
        for body in alone(batch):
            if package.side != "stores" and body not in self._unusable and _is_ahead(body, now_ms):
                self._ahead.add(body)  # our clock went back: a fault, which somebody can resubmit later
            elif package.side == "views" and body not in self._unusable:
                self._model.deliver(package.name, json.loads(body), now_ms)
        by_id = {record["messageId"]: record["body"] for record in sqs_event(batch)["Records"]}
        return [by_id[message_id] for message_id in again]

    def _collect(self) -> None:
        """Take what was written, published and resubmitted to where it is delivered from."""
        for table, waiting in self._streams.items():
            records = self._loop.new_records(table)
            waiting.extend(records)
            self._meant |= _images_of(*follower_of_table(table), records)
        for body in self._loop.new_bodies():
            envelope = json.loads(body)
            for one in alone([body]):
                event = json.loads(one)["detail"]
                assert _is_by(event), event
            self._to_queues(body, (envelope["source"], envelope["detail-type"]))
        for package in readers():
            self._queues[package] += self._loop.resubmitted(package)

    def _to_queues(self, body: str, topic: tuple[str, str]) -> None:
        self._on_the_bus.append(body)
        for package in subscribers_of(*topic):
            self._queues[package].append(body)


def _images_of(package: Package, role: str, records: list[Any]) -> dict[str, Any]:
    """Return the images of the changes that are events of a service, by the event's id; a push publishes none."""
    if role == "push":
        return {}
    facts = package.facts
    found = [event_of(record, facts=facts, tags={}) for record in records]
    return {event.id: json.loads(strict_json.dumps(event.raw)) for event in found if event}


def _said_in(body: str) -> str:
    """Return what a message says, without what the bus adds: two that say the same are one fault."""
    envelope = json.loads(body)
    return json.dumps([envelope[name] for name in ("source", "detail-type", "detail")], sort_keys=True)


def _is_ahead(body: str, now_ms: int) -> bool:
    """Return True if a message's time lies too far ahead for its listener."""
    envelope = json.loads(body)
    timestamp, taken_ms = envelope["detail"]["timestamp"], times.to_ms(envelope["time"])
    return isinstance(timestamp, int) and timestamp > min(taken_ms, now_ms) + MAX_AHEAD_MS


def _log_in(body: str) -> Log | None:
    """Return the log that a report is."""
    state = json.loads(body)["detail"].get("state")
    return (state["equipmentId"], state["state"], state["timestamp"]) if isinstance(state, dict) else None


def _is_by(event: dict[str, Any]) -> bool:
    """Return True if an event names its actor: a rule, the consumer of a fault, or the one caller of this loop."""
    entities = [value for value in event.values() if isinstance(value, dict)]
    rows = [*entities, (event.get("raw") or {}).get("new") or {}]
    rules = [f"rule:{row['rule']}" for row in rows if row.get("by") == "rule"]
    consumers = [entity["consumer"] for entity in entities if event["type"] == FAULT_TYPE and "consumer" in entity]
    return [event["tags"]["actor"]] == (rules[:1] or consumers or [CALLER])

"""Dispatch alone, at any time: its real handlers over a table in memory; a test delivers the reports itself."""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Self

from andon.dynamodb.attribute_values import Typed
from andon.packages.package import Package
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.sweep import ALL_SHARDS, SHARDS
from andon.runtime import clock, times
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event, sqs_event
from andon.testing.log_lines import unlogged
from andon.testing.memory.aws import OneTable
from andon.testing.memory.tables import Record
from demo.people import ANN, LIZ, SARA, SUE
from services.dispatch.tables import KEYS
from tests.support.dispatch.model import RULES, Decided, Report
from tests.support.samples import body_of, fact
from tests.support.services.reports import ACKNOWLEDGE, STAFF

FACTORY: Final = "gdl-1"
OPERATORS: Final = (LIZ, SUE, ANN)
SUPERVISOR: Final = SARA

# How a stream is delivered: how likely a batch follows at once, how likely it comes twice, and how long it is at most.
FLOWS: Final = 0.7
TWICE: Final = 0.3
MOST: Final = 8

# How long after something was due it is swept.
LATE_MS: Final = (0, 0, 20_000, 40 * 60_000)

DUE: Final = "due#"  # prefix of the partitions of shards

_DISPATCH = Package("services", "dispatch")
_CONTEXT = LocalContext("dispatch")


class ComesAgain(Exception):
    """The queue is to deliver a batch once more."""


class Floor(AbstractContextManager["Floor"]):
    """Dispatch alone; `now_ms` is the time on its clock."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self.now_ms = start_ms
        self.table = OneTable("DISPATCH_TABLE", KEYS)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.table)
        real, clock.now_ms = clock.now_ms, lambda: self.now_ms
        self._stack.callback(setattr, clock, "now_ms", real)
        self._stack.enter_context(unlogged())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def restart(self, *machines: str) -> None:
        """Start again with an empty table and some machines, in a factory that has a roster."""
        self.table.clear()
        self.now_ms = self._start_ms
        self.staff()
        for machine in machines:
            self.register(machine)
        self.settle()

    def register(self, equipment_id: str, factory_id: str = FACTORY) -> None:
        """Deliver the event that a piece of equipment is in a factory, now."""
        event = fact("equipment-updated", id=f"{equipment_id} {self.now_ms}", at=self.now_ms, factoryId=factory_id)
        event.entities["equipment"]["id"] = equipment_id
        self.deliver([body_of(event)])

    def scrap(self, equipment_id: str) -> None:
        """Deliver the event that a piece of equipment was deleted."""
        event = fact("equipment-deleted", id=f"{equipment_id} {self.now_ms}", at=self.now_ms)
        event.entities["equipment"]["id"] = equipment_id
        self.deliver([body_of(event)])

    def staff(self, factory_id: str = FACTORY, *, supervisor: str = SUPERVISOR) -> None:
        """Put a factory's first roster."""
        body = {"operators": list(OPERATORS), "supervisor": supervisor}
        assert self.request(STAFF, path={"factoryId": factory_id}, body=body)[0] == 201

    def erase(self, person: str) -> None:
        """Deliver the event that a person was erased, now."""
        event = fact("person-erased", id=f"{person} erased", at=self.now_ms)
        event.entities["person"].update(id=person, erasedAt=times.to_utc(self.now_ms))
        self.deliver([body_of(event)])

    def report(self, equipment_id: str, report: Report, event_id: str | None = None) -> None:
        """Deliver a report at the time of its arrival."""
        self.wait_until(report.arrived_ms)
        self.deliver([report_body(equipment_id, report, event_id)])
        self.settle()

    def acknowledge(self, equipment_id: str, state: str, log_ms: int) -> None:
        """Acknowledge a log, now."""
        path = {"id": equipment_id, "state": state, "timestamp": times.to_utc(log_ms)}
        assert self.request(ACKNOWLEDGE, path=path)[0] in {200, 201}

    def request(self, route: str, **parts: Any) -> tuple[int, Any]:  # noqa: ANN401  see `http_event`
        """Call one of dispatch's routes; return the status and the body of the response."""
        role = "query" if route.startswith("GET ") else "command"
        answer = _DISPATCH.handler(role)(http_event(route, **parts), _CONTEXT)
        return answer["statusCode"], json.loads(answer["body"])

    def deliver(self, bodies: Iterable[str]) -> None:
        """Deliver a batch of the queue.

        Raises:
            ComesAgain: some of it has to be delivered again.

        """
        if _DISPATCH.handler("listener")(sqs_event(bodies), _CONTEXT)["batchItemFailures"]:
            raise ComesAgain

    def react(self, records: Sequence[Record]) -> None:
        """Deliver a batch of the table's stream."""
        _DISPATCH.handler("trigger")({"Records": list(records)}, _CONTEXT)

    def settle(self) -> None:
        """Deliver the stream until it has no more records."""
        while records := self.table.new_records():
            self.react(records)

    def sweep(self) -> None:
        """Run the sweep, for the shards in which something waits and an empty one, which stands for the others."""
        waiting = {int(partition.removeprefix(DUE)) for partition in self.table.partitions if partition.startswith(DUE)}
        empty = next((shard for shard in ALL_SHARDS if shard not in waiting), None)
        _DISPATCH.handler("sweep")({SHARDS: [*waiting, *([] if empty is None else [empty])]}, _CONTEXT)

    def kept(self) -> str:
        """Write down the rows, what was published, and the time; nothing may be left in the stream."""
        return json.dumps([self.table.partitions, self.table.published, self.now_ms], sort_keys=True)

    def put_back(self, kept: str) -> None:
        """Make them what was written down."""
        self.table.clear()
        self.table.partitions, self.table.bus, self.now_ms = json.loads(kept)

    def sweep_what_is_due(self) -> None:
        """Run the sweep, and check that it did something: what fails would stay due for ever."""
        before = self.due_times()
        self.sweep()
        assert self.due_times() != before

    def due_times(self) -> list[int]:
        """List from when on a sweep will find something to do."""
        shards = (rows for partition, rows in self.table.partitions.items() if partition.startswith(DUE))
        return sorted({int(row["at"]["N"]) + STORED_WITHIN_MS for rows in shards for row in rows.values()})

    def wait_until(self, at_ms: int) -> None:
        """Move the clock; what becomes due on the way is swept at its time."""
        while (due := self.due_times()) and due[0] <= at_ms:
            self.now_ms = max(self.now_ms, due[0])
            self.sweep_what_is_due()
            self.settle()
        self.now_ms = max(self.now_ms, at_ms)

    def decision_rows(self) -> dict[tuple[str, str], Typed]:
        """Return the rows of all decisions by rule."""
        return {
            (partition, sort): row
            for partition, rows in self.table.partitions.items()
            for sort, row in rows.items()
            if row.get("by") == {"S": "rule"}
        }

    def decided(self, equipment_id: str) -> list[Decided]:
        """Return the decisions by rule about a piece of equipment, from its rows."""
        rows = self.table.rows(f"Equipment#{equipment_id}")
        return sorted(_decided(row, self._reports(equipment_id)) for row in rows if row.get("rule") in RULES)

    def published(self, equipment_id: str) -> list[Decided]:
        """Return the same from what was published; an event that was published twice says the same both times."""
        by_id: dict[str, set[str]] = defaultdict(set)
        for entry in self.table.published:
            detail = json.loads(entry["Detail"])
            row = detail["raw"]["new"]
            if detail["partitionKey"] == equipment_id and row.get("rule") in RULES:
                by_id[detail["id"]].add(entry["Detail"])
        assert all(len(said) == 1 for said in by_id.values())
        rows = [json.loads(detail)["raw"]["new"] for said in by_id.values() for detail in said]
        return sorted(_decided(row, self._reports(equipment_id)) for row in rows)

    def _reports(self, equipment_id: str) -> dict[str, Report]:
        """Return the reports in the store by the ids of their events."""
        rows = self.table.partitions.get(f"Equipment#{equipment_id}", {})
        found = {}
        for sort, row in rows.items():
            if sort.startswith("event#") and row["source"]["S"] == "equipment":
                event = row["event"]["M"]
                state = event["state"]["M"]["state"]["S"]
                found[event["id"]["S"]] = Report(int(event["timestamp"]["N"]), state, int(row["arrived"]["N"]))
        return found


class Stream:
    """The stream of a floor's table, in random batches, some of them delivered twice, and not at once."""

    def __init__(self, floor: Floor, chance: random.Random) -> None:
        self._floor = floor
        self._chance = chance
        self._pending: list[Record] = []

    def flow(self, *, everything: bool = False) -> None:
        """Deliver some of the records, or all of them, and all that follow from them."""
        self._pending += self._floor.table.new_records()
        while self._pending and (everything or self._chance.random() < FLOWS):
            size = self._chance.randint(1, MOST)
            batch, self._pending = self._pending[:size], self._pending[size:]
            self._floor.react(batch)
            if self._chance.random() < TWICE:
                self._floor.react(batch)
            self._pending += self._floor.table.new_records()

    def run_out(self) -> None:
        """Move the clock from one due time to the next, or a while behind it, until nothing is due."""
        self.flow(everything=True)
        while due := self._floor.due_times():
            self._floor.now_ms = max(self._floor.now_ms, due[0] + self._chance.choice(LATE_MS))
            self._floor.sweep_what_is_due()
            self.flow(everything=True)


def report_body(equipment_id: str, report: Report, event_id: str | None = None) -> str:
    """Return the message of a report."""
    at = times.to_utc(report.at_ms)
    event = fact("state-reported", id=event_id or f"{equipment_id} {report.state} {at}", at=report.at_ms)
    event.entities["state"].update(equipmentId=equipment_id, state=report.state, timestamp=at)
    return body_of(event)


def _decided(row: dict[str, Any], reports: dict[str, Report]) -> Decided:
    says = next(row[name] for name in ("operator", "supervisor", "reason", "since") if name in row)
    return Decided(
        key=row["sk"],
        says=says,
        at_ms=row["at"] if "at" in row else row["timestamp"],
        triggers=tuple((reports[one["id"]].at_ms, reports[one["id"]].state) for one in row["triggers"]),
    )

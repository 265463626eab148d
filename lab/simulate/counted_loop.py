"""The deployed functions and AWS in this process; what AWS would charge and limit is counted for each function."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from math import ceil
from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.events.group import unpacked
from andon.events.received import received
from andon.packages.discovery import subscribers_of
from andon.packages.package import Package
from andon.runtime import clock, strict_json
from andon.testing.lambda_context import LocalContext
from andon.testing.loop import Answer, Loop
from andon.testing.memory.calls import Call
from andon.testing.memory.meter import Meter, Used
from andon.testing.memory.tables import AppliedWrite, MemoryTable, Record
from andon.testing.world import alone
from lab.simulate.counted import FunctionCalls, PackageMetric, SentFact, metrics_in
from lab.simulate.limits import IOT_MESSAGE_BYTES
from lab.simulate.settings import HTTP, QUEUED

DUE: Final = "due#"
"""Prefix of the partitions that hold what is due; see `andon/rules/due.py`."""


class CountedLoop(Loop):
    """used, calls: by function, as `board listener`; used: also by the name that `on_behalf_of` says.

    facts, published, queued: see `Counted`. metrics: what functions' lines are read for.
    late_ms: of each due time that was taken out of its partition, by table, how long after its time.
    response_bytes: of all answers of the API. screen_messages: those to screens, for each 5 KB.
    """

    batch = sys.maxsize  # the model has batches of its own

    def __init__(self, schemas: dict[str, TableSchema] | None = None) -> None:
        self.used: dict[str, Used] = defaultdict(Used)
        self.calls: dict[str, FunctionCalls] = defaultdict(FunctionCalls)
        self.facts: dict[tuple[str, str], list[SentFact]] = defaultdict(list)
        self.published: Counter[tuple[str, str]] = Counter()
        self.queued: Counter[str] = Counter()
        self.metrics: set[PackageMetric] = set()
        self.response_bytes = self.screen_messages = 0
        self._meter = _DueMeter()
        self.late_ms = self._meter.late_ms
        self._who, self._package, self._log_bytes = "", "", 0
        super().__init__(schemas, observer=self._meter)

    @contextmanager
    def on_behalf_of(self, name: str) -> Iterator[Used]:
        """Count what follows for one function."""
        before, self._who = self._who, name
        try:
            yield self.used[name]
        finally:
            self._who = before

    def forget_counts(self) -> None:
        """Count anew; the rows stay."""
        counted = (self.used, self.calls, self.facts, self.published, self.queued, self.metrics, self.late_ms)
        for counts in counted:
            counts.clear()
        self.response_bytes = self.screen_messages = 0

    def stored_bytes(self) -> Counter[str]:
        """Return the bytes in each table and its indexes."""
        stored = Counter[str]()
        for place, size in self._meter.stored.items():
            stored[place.table] += size
        return stored

    def count_line(self, line: str) -> None:
        """Count a line that a function logs; it stands in for `log.write`."""
        self._log_bytes += len(f"{line}\n".encode())
        self.metrics.update(metrics_in(line, self._package))

    def call(self, event: dict[str, Any]) -> Answer:
        """Send an HTTP event to the handler of its route.

        Raises:
            RuntimeError: it refuses the request.

        """
        answer = super().call(event)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{event['routeKey']}: {answer.body}")
        return answer

    def invoke(self, package: Package, role: str, event: dict[str, Any]) -> Any:  # noqa: ANN401  a handler's response
        """Call a handler, and count it.

        Raises:
            RuntimeError: it could not take a message.

        """
        name, records = f"{package.name} {role}", _records_in(event, role)
        self._log_bytes, self._package = 0, package.name
        with self.on_behalf_of(name):
            response = package.handler(role)(event, LocalContext(f"Andon-{package.name}-{role}"))
        if role in HTTP:
            self.response_bytes += len((response.get("body") or "").encode())
        if role == "ingest":
            self.queued[name] += records
        if role in QUEUED and (failed := response["batchItemFailures"]):
            raise RuntimeError(f"{package.name} could not take {len(failed)} messages")
        self.calls[name].records.append(records)
        self.calls[name].log_bytes.append(self._log_bytes)
        return response

    def listen(self, bodies: list[str]) -> None:
        """Deliver messages to every package that subscribes to them; stores' own functions are not in the sample."""
        for body in alone(bodies):
            envelope = json.loads(body)
            source = envelope["source"]
            subscribed = subscribers_of(source, envelope["detail-type"])
            names = ("lake", *(package.name for package in subscribed if package.side != "stores"))
            self.published.update((source, name) for name in names)
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

    def answer(self, call: Call) -> dict[str, Any]:
        """Answer one call, and count it."""
        used = self._meter.used = self.used[self._who]
        used.requests[call.operation] += 1
        if call.operation == "PutEvents":
            used.entries.update(entry["Source"] for entry in call.request["Entries"])
            for entry in call.request["Entries"]:
                self.facts[self._who, entry["Source"]] += sent_in(entry["DetailType"], entry["Detail"])
        if call.operation == "Publish":
            self.screen_messages += iot_messages(call.request["payload"])
        return super().answer(call)


def sent_in(event_type: str, detail: str) -> list[SentFact]:
    """Return the facts of an entry."""
    read = strict_json.loads(detail)
    return [SentFact(event_type, len(strict_json.dumps(fact).encode())) for fact in unpacked(read)]


def _records_in(event: dict[str, Any], role: str) -> int:
    """Return the number of records; of a listener it is that of facts, however many came in a message."""
    records = event.get("Records", [event])
    return len([*received(records)]) if role == "listener" else len(records)


def iot_messages(payload: bytes | str) -> int:
    """Return the messages that AWS IoT counts for one; topics are short, and count as its first bytes."""
    size = len(payload.encode() if isinstance(payload, str) else payload)
    return max(1, ceil(size / IOT_MESSAGE_BYTES.value))


class _DueMeter(Meter):
    def __init__(self) -> None:
        super().__init__()
        self.late_ms: dict[str, list[int]] = defaultdict(list)

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:
        super().wrote(table, write, times=times)
        key, old, new = write
        if new is None and old is not None and key[table.keys.partition]["S"].startswith(DUE):
            self.late_ms[table.name].append(clock.now_ms() - int(old["at"]["N"]))

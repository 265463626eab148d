"""The deployed functions and AWS in this process; what AWS would charge and limit is counted for each function."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.events.publish import GROUPED
from andon.packages.package import Package
from andon.runtime import clock
from andon.testing.lambda_context import LocalContext
from andon.testing.loop import Answer, Loop
from andon.testing.memory.calls import Call
from andon.testing.memory.meter import Meter, Used
from andon.testing.memory.tables import AppliedWrite, MemoryTable, Record
from bench.simulate.counted import FunctionCalls, PackageMetric, metrics_in

DUE: Final = "due#"
"""Prefix of the partitions that hold what is due; see `andon/rules/due.py`."""


class CountedLoop(Loop):
    """used, calls: by function, as `board listener`; used: also by the name that `on_behalf_of` says.

    published: messages by the package that subscribes; "lake" gets all. metrics: what functions' lines are read for.
    late_ms: of each due time that was taken out of its partition, by table, how long after its time.
    """

    batch = sys.maxsize  # the model has batches of its own

    def __init__(self, schemas: dict[str, TableSchema] | None = None) -> None:
        self.used: dict[str, Used] = defaultdict(Used)
        self.calls: dict[str, FunctionCalls] = defaultdict(FunctionCalls)
        self.published: dict[str, int] = defaultdict(int)
        self.metrics: set[PackageMetric] = set()
        self._meter = _DueMeter()
        self.late_ms = self._meter.late_ms
        self._who, self._package, self._log_bytes = "", "", 0
        super().__init__(schemas, observer=self._meter)

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers: each fact goes alone, for the model has groups of its own."""
        return {name: value for name, value in super().variables().items() if name != GROUPED}

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
        for counts in (self.used, self.calls, self.published, self.metrics, self.late_ms):
            counts.clear()

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
        name, records = f"{package.name} {role}", len(event.get("Records", [event]))
        self._log_bytes, self._package = 0, package.name
        with self.on_behalf_of(name):
            response = package.handler(role)(event, LocalContext(f"Andon-{package.name}-{role}"))
        if role == "listener":
            self.published[package.name] += records
            if failed := response["batchItemFailures"]:
                raise RuntimeError(f"{package.name} could not take {len(failed)} messages")
        self.calls[name].records.append(records)
        self.calls[name].log_bytes.append(self._log_bytes)
        return response

    def listen(self, bodies: list[str]) -> None:
        """Deliver messages to every package that subscribes to them; stores' own functions are not in the sample."""
        self.published["lake"] += len(bodies)
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
            used.entries += len(call.request["Entries"])
            used.entry_bytes += sum(len(entry["Detail"].encode()) for entry in call.request["Entries"])
        used.pushes += call.operation == "Publish"
        return super().answer(call)


class _DueMeter(Meter):
    def __init__(self) -> None:
        super().__init__()
        self.late_ms: dict[str, list[int]] = defaultdict(list)

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:
        super().wrote(table, write, times=times)
        key, old, new = write
        if new is None and old is not None and key[table.keys.partition]["S"].startswith(DUE):
            self.late_ms[table.name].append(clock.now_ms() - int(old["at"]["N"]))

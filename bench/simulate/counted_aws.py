"""AWS in memory, which counts what AWS would charge and limit, for whichever function is running."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.runtime import clock
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.calls import Answer, Call
from andon.testing.memory.meter import Meter, Place, Used
from andon.testing.memory.tables import Table, Write

DUE: Final = "due#"
"""How the partitions begin that hold what is due; see `andon/rules/due.py`."""


class CountedAws(AwsInMemory):
    """used: by the name that `on_behalf_of` says. late_ms, decided: see `_Meter`."""

    def __init__(self, schemas: Mapping[str, TableSchema]) -> None:
        self._meter = _Meter()
        self.used: dict[str, Used] = defaultdict(Used)
        self._who = ""
        self.late_ms, self.decided = self._meter.late_ms, self._meter.decided
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
        self.used.clear()
        self.late_ms.clear()
        self.decided.clear()

    def new_records(self, table: str) -> list[dict[str, Any]]:
        """Take the records of a table's stream since the last time, without those that the mapping's filter drops."""
        records = self.tables[table].new_records()
        partition = self.tables[table].keys.partition
        return [one for one in records if not one["dynamodb"]["Keys"][partition]["S"].startswith(DUE)]

    def new_entries(self) -> list[dict[str, str]]:
        """Take what was published since the last time."""
        entries, self.bus = self.bus, []
        return entries

    def stored_bytes(self) -> Mapping[Place, int]:
        """Return how many bytes lie in each table and index."""
        return self._meter.stored

    def answer(self, call: Call) -> Answer:
        """Answer one call, and count it."""
        used = self._meter.used = self.used[self._who]
        used.requests[call.operation] += 1
        if call.operation == "PutEvents":
            used.entries += len(call.request["Entries"])
            used.entry_bytes += sum(len(entry["Detail"].encode()) for entry in call.request["Entries"])
        used.pushes += call.operation == "Publish"
        return super().answer(call)


class _Meter(Meter):
    """late_ms: of each due time that was taken out of its partition, by table, how long after its time.

    decided: how many rows rules have put, by table.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: dict[str, list[int]] = defaultdict(list)
        self.decided: Counter[str] = Counter()

    def wrote(self, table: Table, write: Write, *, times: int) -> None:
        """Count a write."""
        super().wrote(table, write, times=times)
        key, old, new = write
        if new is None and old is not None and key[table.keys.partition]["S"].startswith(DUE):
            self.late_ms[table.name].append(clock.now_ms() - int(old["at"]["N"]))
        if old is None and new is not None and new.get("by", {}).get("S") == "rule":
            self.decided[table.name] += 1

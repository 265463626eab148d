"""A lake's inputs, lived once more by the real handlers of whatever tree they are imported from: the oracle.

Reports and calls are delivered as they were, and what people wrote is put into its table, unless a rule has decided
that row before. Listeners, triggers and sweeps of the services with rules do the rest. A sweep is on time to the
millisecond; a decision is published when the lake says that it was, else after the lag that `make what-if` assumes.

`python lived_again.py LINES OUT` reads lines of a lake, and writes what was decided as JSON: it runs with the packages
of one tree on its path, and imports nothing of another.
"""

import heapq
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Typed, to_plain, to_typed
from andon.packages.discovery import services, subscribers_of
from andon.packages.package import Package
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import Rules
from andon.runtime import clock, log
from andon.testing.loop import Loop
from andon.testing.memory.tables import AppliedWrite, MemoryTable

SECOND_MS: Final = 1_000
BY_RULE: Final = "rule:"
SWEEP_LAG_MS: Final = 30 * SECOND_MS
TRIGGER_LAG_MS: Final = SECOND_MS
MOST_LAG_MS: Final = 300 * SECOND_MS
INPUT, DUE = 0, 1

Key = tuple[str, str]
"""The primary key of a row of the sample."""


class Decision(NamedTuple):
    """A row that a rule decided. decided_ms: when it was due, or evaluated."""

    rule: str
    key: Key
    decided_ms: int
    row: Mapping[str, Any]


def taken_ms(envelope: Mapping[str, Any]) -> int:
    """Return when the bus took an event: its second, or the event's own time within that."""
    bus_ms, own_ms = int(datetime.fromisoformat(envelope["time"]).timestamp() * 1000), envelope["detail"]["timestamp"]
    return own_ms if bus_ms <= own_ms < bus_ms + SECOND_MS else bus_ms


def recorded_in(lines: Iterable[str]) -> dict[Key, Decision]:
    """Return the decisions that a lake records; `decided_ms` is when the bus took it."""
    found: dict[Key, Decision] = {}
    for envelope in _in_order(lines):
        fact = envelope["detail"]
        if str(fact["tags"].get("actor", "")).startswith(BY_RULE):
            row = fact["raw"]["new"]
            one = Decision(f"{envelope['source']}.{row['rule']}", (row["pk"], row["sk"]), taken_ms(envelope), row)
            found.setdefault(one.key, one)
    return found


def _in_order(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    """Return the events in the order of their arrival; a line that is there twice counts once."""
    return sorted(map(json.loads, set(lines)), key=_order)


def _order(envelope: Mapping[str, Any]) -> tuple[int, int, str]:
    fact = envelope["detail"]
    return taken_ms(envelope), fact["timestamp"], fact["partitionKey"]


class LivedAgain(Loop):
    """The services with rules, by a clock that goes from one input, due row or decided fact to the next."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__(observer=self)
        self.decided: dict[Key, Decision] = {}
        self._recorded, inputs = recorded_in(lines), _in_order(lines)
        self._now_ms, self._end_ms = 0, taken_ms(inputs[-1])
        self._due: list[tuple[int, int, str, int, Callable[[], None]]] = []
        self._numbers = count()
        self._services = dict(_with_replayable_rules())
        self._tables = {table: one for one in self._services.values() for table in one.tables}
        for envelope in inputs:
            if not str(envelope["detail"]["tags"].get("actor", "")).startswith(BY_RULE):
                self._at(taken_ms(envelope), INPUT, partial(self._take, envelope))

    def live(self) -> None:
        """Live until the lake's end."""
        while self._due and self._due[0][0] <= self._end_ms:
            self._now_ms, _, _, _, do = heapq.heappop(self._due)
            clock.now_ms = lambda: self._now_ms
            do()

    def _at(self, at_ms: int, kind: int, do: Callable[[], None], *, about: str = "") -> None:
        """Do something at a time: what arrives comes first, then one thing after another."""
        heapq.heappush(self._due, (at_ms, kind, about, next(self._numbers), do))

    def _take(self, envelope: Mapping[str, Any]) -> None:
        """Take an event of others as it is; a service's own is the row that it was published of."""
        own = self._services.get(envelope["source"])
        if own is None:
            self._hear([json.dumps(envelope)])
            return
        raw = envelope["detail"]["raw"]
        [table] = [self.tables[name] for name in own.tables if self.schemas[name].stream]
        # Who was refused for a row that a rule decided first changes nothing.
        if raw["old"] is not None or (raw["new"]["pk"], raw["new"]["sk"]) not in self.decided:
            table.write("Put", {"Item": to_typed(raw["new"])})
            self._follow(TRIGGER_LAG_MS)

    def _hear(self, bodies: Iterable[str]) -> None:
        for body in bodies:
            envelope = json.loads(body)
            for one in subscribers_of(envelope["source"], envelope["detail-type"]):
                if one in self._services.values():
                    self.deliver(one, [body])
                    self._follow(TRIGGER_LAG_MS)

    def _follow(self, lag_ms: int) -> None:
        """Follow the streams: stored events are looked at now, decisions are published after a lag."""
        for table, package in self._tables.items():
            for record in self.new_records(table) if self.schemas[table].stream else ():
                decided = self._decision_in(record)
                trigger = partial(self._trigger_by, package, record)
                if decided is None:
                    trigger()
                else:
                    self._at(self._published_ms(decided, lag_ms), INPUT, trigger, about=decided.key[0])

    def _trigger_by(self, package: Package, record: Any) -> None:  # noqa: ANN401  a record of a stream
        self.invoke(package, "trigger", {"Records": [record]})
        self._follow(TRIGGER_LAG_MS)
        self._hear(self.new_bodies())

    def _published_ms(self, one: Decision, lag_ms: int) -> int:
        recorded = self._recorded.get(one.key)
        if recorded and self._now_ms <= recorded.decided_ms <= self._now_ms + MOST_LAG_MS:
            return recorded.decided_ms
        return self._now_ms + lag_ms

    def _sweep(self, package: Package, shard: int) -> None:
        """Sweep as soon as it decides about what is due now."""
        clock.now_ms = lambda: self._now_ms + STORED_WITHIN_MS
        self.invoke(package, "sweep", {"shards": [shard]})
        self._follow(SWEEP_LAG_MS)

    def _decision_in(self, record: Any) -> Decision | None:  # noqa: ANN401
        images = record["dynamodb"]
        new = {} if images.get("OldImage") else images.get("NewImage") or {}
        return self.decided.get(_key_of(new)) if "rule" in new else None

    # What requests do to tables, see `Observer`.

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:  # noqa: ARG002
        """Note decisions, and when a sweep has something to do."""
        if write.new is None or table.name not in self._tables:
            return
        package, row = self._tables[table.name], write.new
        if row.get("discriminator") == {"S": "due"}:
            shard = int(row["pk"]["S"].partition("#")[2])
            at_ms, about = max(int(row["at"]["N"]), self._now_ms), row["key"]["S"]
            self._at(at_ms, DUE, partial(self._sweep, package, shard), about=about)
        elif "rule" in row and write.old is None:
            plain, key = to_plain(row), _key_of(row)
            self.decided.setdefault(key, Decision(f"{package.name}.{plain['rule']}", key, self._now_ms, plain))

    def refused(self, table: MemoryTable, key: Typed, old: Typed | None) -> None:
        """Note nothing."""

    def read(self, table: MemoryTable, index: str, rows: list[Typed], *, consistent: bool) -> None:
        """Note nothing."""


def _key_of(row: Typed) -> Key:
    return row["pk"]["S"], row["sk"]["S"]


def _with_replayable_rules() -> Iterator[tuple[str, Package]]:
    """Yield the services, by source, whose rules know nothing but events; rules that know more are taken away."""
    for package in services():
        if package.has("control"):
            module = package.load("control")
            rules = module.CONTROL.rules
            left = tuple(rule for rule in rules.all if rule.is_replayable)
            module.CONTROL = module.CONTROL._replace(rules=Rules(source=rules.source, types=rules.types, all=left))
            if left:
                yield rules.source, package


def main() -> None:
    """Entry point."""
    source, out = map(Path, sys.argv[1:])
    log.write = lambda line: None  # noqa: ARG005  its name is part of the type
    with LivedAgain(source.read_text().splitlines()) as world:
        world.live()
        out.write_text(json.dumps([*world.decided.values()]))


if __name__ == "__main__":
    main()

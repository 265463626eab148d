"""A region is lost in the middle of writes, and another one goes on from the copy of its lake, as the runbook says."""

import json
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from andon.cdk.operations.signals import LATE_TRIGGER_SECONDS, rpo_seconds
from andon.cdk.replica import COPY_MINUTES
from andon.cdk.target import AWS
from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.events.group import unpacked
from andon.events.latch import LATCHED, ORIGIN
from andon.packages.discovery import recomputed, services, views
from andon.packages.package import Package
from andon.recorded import lake
from andon.runtime import clock
from andon.testing.drift import look
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Answer, Loop
from andon.testing.memory.tables import AppliedWrite, MemoryTable
from andon.testing.proving.prover import Record
from andon.testing.world import to_text
from andon.tools.region.services import bring_back
from lab.quiet_clock import Now
from lab.region.writes import Writers

STREAM_MS: Final = LATE_TRIGGER_SECONDS * 1000
LAKE_MS: Final = AWS.lake_settles_seconds * 1000
COPY_MS: Final = COPY_MINUTES * 60_000
RPO_MS: Final = rpo_seconds(AWS) * 1000
"""What a stage promises, of which the three above are the most of each step of the way into the other region."""

LAKE: Final = Package("stores", "lake")
OWNED: Final = frozenset(table for service in services() for table in service.tables)

USUAL_COPY_MS: Final = 60_000
ACKNOWLEDGED: Final = range(200, 300)
PROMPT: Final = 0.6  # of the steps bring the changes of tables to the bus
SLOW: Final = 0.2  # of objects are copied at any time within the promise


STEPS: Final = (120, 260)
STEP_MS: Final = 25_000
GOES_ON_AFTER_MS: Final = 3_600_000

# Stored events and due times are no acknowledged writes: rules begin anew, see docs/region-lost.md.
OF_RULES: Final = frozenset({"event", "correlated", "due", "unreadable"})
NOT_COMPARED: Final = frozenset({LATCHED, "ttl", "hops"})

# Two edits that cross in one batch become one version, so that the numbers of what crossed are no promise.
NUMBERS: Final = frozenset({"version", "since"})

Key = tuple[str, ...]
"""Table, and the values of the primary key."""


class Row(NamedTuple):
    """A row that was written, by its table."""

    table: str
    row: Item


class Acknowledged(NamedTuple):
    """A write that a client got a 2xx for. rows: what it wrote. logs: reports that went straight to the bus."""

    at_ms: int
    rows: tuple[Row, ...]
    logs: tuple[tuple[str, str], ...] = ()


class Copied(NamedTuple):
    """An object of the lake, and when its copy is whole in the other region."""

    key: str
    body: bytes
    at_ms: int


class LostRegion(Loop):
    """All packages, connected; `move` lets the pipeline go a step on."""

    def __init__(self, dice: Random) -> None:
        super().__init__(observer=self)
        self._dice = dice
        self._written: list[Row] = []
        self._waiting: list[str] = []  # in the lake's queue
        self._first_ms: int | None = None  # of what waits there
        self._fills_after_ms = 0
        self._changed_ms: int | None = None  # of what no trigger has published
        self.acknowledged: list[Acknowledged] = []
        self.copies: list[Copied] = []

    def wrote(self, table: MemoryTable, write: AppliedWrite, *, times: int) -> None:  # noqa: ARG002  see Observer
        """Note a row of a service; one that is only checked stays as it is."""
        if table.name in OWNED and write.new is not None and write.new != write.old:
            self._written.append(Row(table.name, to_plain(write.new)))

    def refused(self, table: MemoryTable, key: Typed, old: Typed | None) -> None:
        """Note nothing."""

    def read(self, table: MemoryTable, index: str, rows: list[Typed], *, consistent: bool) -> None:
        """Note nothing."""

    def write(self, route: str, logs: Iterable[tuple[str, str]] = (), **parts: Any) -> Answer:  # noqa: ANN401
        """Send a command; note what it wrote, if it was acknowledged."""
        self._written.clear()
        answer = self.request(route, **parts)
        if answer.status in ACKNOWLEDGED:
            self.acknowledged.append(Acknowledged(clock.now_ms(), tuple(self._written), tuple(logs)))
        if self._written and self._changed_ms is None:
            self._changed_ms = clock.now_ms()
        return answer

    def move(self) -> None:
        """Let the pipeline go on, as far as it likes, and no later than it must."""
        now_ms = clock.now_ms()
        late = self._changed_ms is not None and now_ms - self._changed_ms > STREAM_MS // 2
        if late or self._dice.random() < PROMPT:
            self._trigger()
            self._changed_ms = None
        self.listen(self.new_messages())
        if self._first_ms is not None and now_ms - self._first_ms >= self._fills_after_ms:
            self._fill_lake(now_ms)

    def listen(self, bodies: list[str]) -> None:
        """Deliver messages to all but the lake, where they wait."""
        if bodies and self._first_ms is None:
            self._first_ms, self._fills_after_ms = clock.now_ms(), self._dice.randrange(LAKE_MS - STREAM_MS)
        self._waiting += bodies
        super().listen(bodies)

    def deliver_all(self, package: Package, bodies: list[str], *, role: str = "listener") -> None:
        """Deliver to all but the lake."""
        if package != LAKE:
            super().deliver_all(package, bodies, role=role)

    def copied(self, at_ms: int) -> list[Copied]:
        """Return the copies that the other region has at a time."""
        return [one for one in self.copies if one.at_ms <= at_ms]

    def drain(self) -> list[str]:
        """Return the events that are not in the lake, those of changes that nobody has published among them."""
        self._trigger()
        return [*self._waiting, *self.new_messages()]

    def _fill_lake(self, now_ms: int) -> None:
        objects = self.store[self.buckets[lake.BUCKET]].bodies
        before = set(objects)
        self.invoke(LAKE, "listener", sqs_event(self._waiting))
        self._waiting, self._first_ms = [], None
        for key in sorted(objects.keys() - before):
            is_slow = self._dice.random() < SLOW
            takes_ms = self._dice.uniform(0, COPY_MS) if is_slow else self._dice.expovariate(1 / USUAL_COPY_MS)
            self.copies.append(Copied(key, objects[key], now_ms + round(min(takes_ms, COPY_MS))))


class Cut(NamedTuple):
    """A loss of the region: the rows, and what of them is in no copy.

    rows: as they were. unsettled: the partitions of what has happened and is not in the copy.
    """

    at_ms: int
    acknowledged: Sequence[Acknowledged]
    lake: dict[str, bytes]
    rows: dict[Key, Item]
    unsettled: frozenset[str]

    def has_all_of(self, key: Key) -> bool:
        """Return True if all that has happened to a row is in the copy."""
        parts = {part for value in key[1:] for part in value.split("#")}
        return parts.isdisjoint(self.unsettled)


def lose(now: Now, dice: Random, record: Record) -> None:
    """Write, cut, restore, compare."""
    cut = _lose(dice, now)
    now.ms = cut.at_ms + GOES_ON_AFTER_MS
    with Loop() as region:
        again = _restore(region, cut)
        found = _rows_of(region)
        drifts = [drift["key"] for view in recomputed() for drift in look(region, view)]
    missing = 0
    for one in cut.acknowledged:
        age_ms = 0 if _is_there(one, found) else cut.at_ms - one.at_ms
        missing += age_ms > 0
        record.expect("an acknowledged write is there, or within the bound", age_ms <= RPO_MS, f"{age_ms} ms: {one}")
    compared = [key for key in sorted({*cut.rows, *found}) if cut.has_all_of(key)]
    for key in compared:
        record.expect("a row is what it was", cut.rows.get(key) == found.get(key), key)
    record.expect("rows are what their events make of them", not drifts, drifts)
    record.expect("no fact is published a second time", not again, again)
    record.note(f"{len(cut.acknowledged)} writes, {missing} missing, {len(compared)} rows compared; bound {RPO_MS} ms")


def _lose(dice: Random, now: Now) -> Cut:
    """Let people and machines write, and cut the region off in the middle of it."""
    with LostRegion(dice) as region:
        writers = Writers(region, dice)
        for _ in range(dice.randint(*STEPS)):
            now.ms += dice.randrange(STEP_MS)
            writers.write()
            region.move()
        region.busy_after(dice.randrange(3))  # in the middle of a command
        now.ms += 1
        writers.write()
        copies = region.copied(now.ms)
        rows = _rows_of(region)
        unsettled = _happened_after(region, {copy.key for copy in copies})
        return Cut(now.ms, region.acknowledged, {one.key: one.body for one in copies}, rows, unsettled)


def _happened_after(region: LostRegion, copied: set[str]) -> frozenset[str]:
    """Return the partitions of the events that are not in the copy."""
    region.busy_after(None)
    region.acknowledged = [*region.acknowledged]
    known = {line for one in region.copies if one.key in copied for line in lake.lines_of(one.body)}
    waiting = region.drain()
    lost = [line for one in region.copies if one.key not in copied for line in lake.lines_of(one.body)]
    details = [json.loads(line)["detail"] for line in [*lost, *waiting] if line not in known]
    facts = [fact for detail in details for fact in unpacked(detail)]
    return frozenset(str(fact.get("partitionKey")) for fact in facts)


def _restore(region: Loop, cut: Cut) -> int:
    """Bring everything back as the runbook says; return the number of facts that were published again."""
    objects: list[Item] = [{"Key": key, "Body": to_text(body)} for key, body in cut.lake.items()]
    region.restore_objects(lake.BUCKET, objects)
    bring_back(now_ms=clock.now_ms())
    again = len(region.run())
    for view in views():
        region.request("POST /replays", body={"view": view.name})
    return again + len(region.run())


def _rows_of(region: Loop) -> dict[Key, Item]:
    """Return the compared attributes of all rows of services and views."""
    tables = {*OWNED, *(table for view in views() for table in view.tables)}
    return {
        _key_of(region.schemas, Row(table, row)): _compared(row)
        for table in tables
        for row in region.rows(table)
        if row.get("discriminator") not in OF_RULES and not (ORIGIN in row and "HISTORY" in table)
    }


def _key_of(schemas: Any, one: Row) -> Key:  # noqa: ANN401  the schemas of a loop
    return one.table, *(str(one.row[name]) for name in schemas[one.table].keys.names)


def _compared(row: Item) -> Item:
    left_out = NOT_COMPARED | NUMBERS if ORIGIN in row else NOT_COMPARED
    return {name: value for name, value in row.items() if name not in left_out}


def _is_there(one: Acknowledged, found: dict[Key, Item]) -> bool:
    schemas = Loop().schemas
    rows = all(_is_known(found.get(_key_of(schemas, row)), _compared(row.row)) for row in one.rows)
    return rows and all(("STATE_LOG_TABLE", *log_) in found for log_ in one.logs)


def _is_known(found: Item | None, written: Item) -> bool:
    """Return True if a row is as it was written, or a later version of it."""
    if found is None or found == written:
        return found is not None
    return "version" in written and found["timestamp"] > written["timestamp"]

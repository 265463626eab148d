"""The region that is lost: a whole stack in memory, whose pipeline moves step by step, behind what is written."""

import random
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.recorded import lake
from andon.runtime import clock
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Answer, Loop
from andon.testing.memory.tables import AppliedWrite, MemoryTable
from lab.region.times import COPY_MS, LAKE_MS, STREAM_MS

LAKE: Final = Package("stores", "lake")
OWNED: Final = frozenset(table for service in services() for table in service.tables)

USUAL_COPY_MS: Final = 60_000
ACKNOWLEDGED: Final = range(200, 300)
PROMPT: Final = 0.6  # of the steps bring the changes of tables to the bus
SLOW: Final = 0.2  # of objects are copied at any time within the promise


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

    def __init__(self, dice: random.Random) -> None:
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

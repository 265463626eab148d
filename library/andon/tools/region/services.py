"""A lost region's services: rows that come back of the images in their facts, and of kept facts of others."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed, Put, Table
from andon.dynamodb.expressions import Condition
from andon.events.bus_entry import Delivery, Replay, from_message
from andon.events.latch import LATCHED
from andon.events.upcast import NONE, Upcasters, upcast
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.recorded import lake
from andon.rules.collect import Collected
from andon.runtime.tried import Failed, tried
from andon.versions.versioned_write import KeptRevisions
from andon.views.materialize import NOTHING
from andon.views.outcome import Outcome
from andon.views.restored_row import RestoredRow
from andon.views.view_update import RowWrite, Subscriptions
from andon.wire.bucket import Bucket
from andon.wire.in_parallel import in_parallel

# The timestamps of a row's versions strictly increase.
VERSION: Final = "version"
NEWER: Final = "attribute_not_exists(#key) OR #timestamp < :timestamp"
OVER: Final = "attribute_exists(#key) AND #timestamp < :timestamp"

REPLAY: Final = Replay("region")

_NO_REVISIONS: Final[KeptRevisions] = {}


class RestoredService(NamedTuple):
    """A service by its declarations; revisions, stored, on: those of `revisions.py`, `restored.py`, `subscriptions.py`.

    tables: those whose changes are its facts; the first is the one that it writes facts of others into.
    """

    name: str
    tables: tuple[Table, ...]
    revisions: KeptRevisions
    stored: Subscriptions
    on: Subscriptions
    upcasters: Upcasters

    @classmethod
    def of(cls, package: Package) -> "RestoredService":
        """Return a service."""
        streamed = (Table(name, schema.keys) for name, schema in package.tables.items() if schema.stream)
        return cls(
            name=package.name,
            tables=tuple(streamed),
            revisions=_declared(package, "revisions", "REVISIONS", _NO_REVISIONS),
            stored=_declared(package, "restored", "ON", NOTHING),
            on=_declared(package, "subscriptions", "ON", NOTHING),
            upcasters=_declared(package, "restored", "UPCASTERS", NONE)
            | _declared(package, "subscriptions", "UPCASTERS", NONE),
        )

    def puts(self, delivery: Delivery, *, now_ms: int) -> Iterator[Put]:
        """Yield the rows that a fact tells of and that never change: reports, revisions, events that rules looked at.

        All are latched: they were published, and decided upon, when they were written.
        """
        images = [image for image in _images_in(delivery) if image] if delivery.source == self.name else []
        for image in images:  # the row before, too: if it was taken over from elsewhere, it is in no fact of its own
            yield from self._revision(image)
        stored = self._decided(self.stored, delivery)
        rows: list[Attributes] = [image for image in images[:1] if VERSION not in image]
        rows += [stored.row] if isinstance(stored, RestoredRow) and stored.row and stored.row not in images else []
        yield from (self._put(row) for row in rows if ttl.is_alive(row, now_ms))

    def changes(self, delivery: Delivery) -> bool:
        """Return True if a fact changes a row that has versions, or one that is kept of others; see `change`."""
        new, _ = _images_in(delivery)
        if delivery.source == self.name:
            return new is not None and VERSION in new
        update = self._decided(self.on, delivery)
        return update is not None and not isinstance(update, Collected)

    def change(self, delivery: Delivery, *, now_ms: int) -> Outcome:
        """Write a version of an own row, or what the service keeps of a fact of another one, as its listener does."""
        new, _ = _images_in(delivery)
        if delivery.source == self.name and new:
            if not ttl.is_alive(new, now_ms):
                _is_written(self._put(new, OVER))  # what it was before may have had no end: that does not stay
                return Outcome.EXPIRED
            return Outcome.APPLIED if _is_written(self._put(new)) else Outcome.STALE
        event, [table, *_] = upcast(delivery.event, self.upcasters, source=delivery.source), self.tables
        update: RowWrite = self._decided(self.on, delivery)
        return update.write(table, event, ttl_days=None, now_ms=now_ms, replay=REPLAY)

    def _put(self, image: Attributes, condition: str = NEWER) -> Put:
        """Return the write of a row, latched: an older version of it is replaced; with OVER, nothing else is done."""
        table, row = self._table_of(image), {**image, LATCHED: True}
        if VERSION not in row:
            return Put(table, row, table.absent)
        names = {"key": table.keys.partition, "timestamp": "timestamp"}
        return Put(table, row, Condition(condition, names, {"timestamp": row["timestamp"]}))

    def _table_of(self, image: Attributes) -> Table:
        return next(table for table in self.tables if image.keys() >= {*table.keys.names})

    def _revision(self, image: Item) -> Iterator[Put]:
        if revision_of := self.revisions.get(image.get("discriminator", "")):
            kept, row = revision_of(image)
            yield Put(kept, row, kept.absent)

    def _decided(self, on: Subscriptions, delivery: Delivery) -> Any:  # noqa: ANN401  one of the kinds of writes
        decide = on.get((delivery.source, delivery.event.type))
        return None if decide is None else decide(upcast(delivery.event, self.upcasters, source=delivery.source))


def _is_written(put: Put) -> bool:
    """Put a row; return False if there is one that is as new."""
    try:
        put.alone()
    except ConditionFailed:
        return False
    return True


def _declared(package: Package, file: str, name: str, otherwise: Any) -> Any:  # noqa: ANN401  what a module declares
    return getattr(package.load(file), name, otherwise) if package.has(file) else otherwise


def _images_in(delivery: Delivery) -> tuple[Item | None, Item | None]:
    """Return the row as a fact left it, and as it found it; None where there was none, as of what went to the bus."""
    raw = delivery.event.raw if isinstance(delivery.event.raw, dict) else {}
    new, old = raw.get("new"), raw.get("old")
    return new if isinstance(new, dict) else None, old if isinstance(old, dict) else None


# The lake's events -> the rows of services' tables, written again; see docs/region-lost.md.
#
# Twice over the lake: first the rows that never change, in whatever order; then those that have versions, in the order
# of time, for what crosses from one service to another is written upon what stands there. To do it again changes
# nothing.

AT_ONCE: Final = 64

Progress = Callable[[str], None]
Counts = Counter[str]
"""`written`: rows; `kept`: those that were there already; `versions …`: by outcome; `unreadable`: lines."""

_lake = Bucket(lake.BUCKET)


def bring_back(*, now_ms: int, tell: Progress = lambda _: None) -> Counts:
    """Write the rows of all services that the lake tells of; return what was counted.

    tell: hears each day that is done.
    """
    restored, counts = [RestoredService.of(package) for package in services()], Counts()
    for write_day in (_write_rows, _change_rows):
        for folder in _lake.folders(f"{lake.EVENTS}/"):
            counts += write_day(restored, _lines_of(folder), now_ms)
            tell(f"{lake.day_in(folder)}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
    return counts


def _lines_of(folder: str) -> Iterator[str]:
    """Yield the lines of a day."""
    for key in _lake.keys(folder):
        yield from lake.lines_of(_lake.require_bytes(key))


def _write_rows(restored: Sequence[RestoredService], lines: Iterator[str], now_ms: int) -> Counts:
    counts = Counts()
    while some := [*islice(lines, AT_ONCE)]:
        for done in in_parallel([partial(_own_rows, restored, now_ms, line) for line in some]):
            counts += done
    return counts


def _change_rows(restored: Sequence[RestoredService], lines: Iterator[str], now_ms: int) -> Counts:
    """Write a day's versions one after the other; they are made by people, and few."""
    edits = [(one, service) for one in map(_read, lines) if one for service in restored if service.changes(one)]
    edits.sort(key=lambda edit: (edit[0].event.timestamp_ms, edit[0].source, edit[0].event.id))
    outcomes = (service.change(delivery, now_ms=now_ms) for delivery, service in edits)
    return Counts(f"versions {outcome}" for outcome in outcomes)


def _own_rows(restored: Sequence[RestoredService], now_ms: int, line: str) -> Counts:
    counts, delivery = Counts(), _read(line)
    if delivery is None:
        return Counts(unreadable=1)
    for service in restored:
        for put in service.puts(delivery, now_ms=now_ms):
            counts["written" if _is_written(put) else "kept"] += 1
    return counts


def _read(line: str) -> Delivery | None:
    """Read a line of the lake; None: no service could read it when it was live, either."""
    delivery = tried(from_message, line)
    return None if isinstance(delivery, Failed) else delivery

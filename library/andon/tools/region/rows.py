"""The lake's events -> the rows of services' tables, written again; see docs/region-lost.md.

Twice over the lake: first the rows that never change, in whatever order; then those that have versions, in the order of
time, for what crosses from one service to another is written upon what stands there. To do it again changes nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from andon.events.bus_entry import Delivery, from_message
from andon.packages.discovery import services
from andon.recorded import lake
from andon.runtime.tried import Failed, tried
from andon.tools.region.services import RestoredService, is_written
from andon.wire.bucket import Bucket
from andon.wire.in_parallel import in_parallel

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
            counts["written" if is_written(put) else "kept"] += 1
    return counts


def _read(line: str) -> Delivery | None:
    """Read a line of the lake; None: no service could read it when it was live, either."""
    delivery = tried(from_message, line)
    return None if isinstance(delivery, Failed) else delivery

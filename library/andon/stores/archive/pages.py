"""The archive's days of an actor: objects, their lines, pages of them."""

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, TypedDict

import orjson

from andon.http.page import MAX_PAGE_BYTES, bytes_sent
from andon.project import Actors
from andon.recorded.archive import (
    ArchiveIndex,
    Place,
    data_folder,
    day_in,
    index_key,
    manifest_folder,
    manifest_key,
    shard_of,
)
from andon.recorded.lake import Envelope, lines_of
from andon.runtime import times
from andon.runtime.errors import CallFailed, Invalid
from andon.runtime.json_types import JsonMapping
from andon.runtime.strict_json import is_whole
from andon.stores.archive.store import BUCKET, actors_in
from andon.wire.bucket import Bucket

# One page of an actor's events: day by day, in the order in which the bus took them.


# Events of an actor on a day, in two requests: for its shard's index and for its own member of the data.

GONE: Final = "NoSuchKey"

_archive = Bucket(BUCKET)


def days_of(kind: Actors, *, first: str, last: str) -> Iterator[str]:
    """List the days from `first` to `last` that were archived, in order."""
    before = manifest_key(kind.name, first).removesuffix(".json")  # sorts right before the manifest of the first
    days = map(day_in, _archive.keys(manifest_folder(kind.name), after=before))
    return takewhile(lambda day: day <= last, days)


def read_day(kind: Actors, actor: str, day: str) -> Iterable[str]:
    """Return the events of an actor and a day, in order, as the lake has them."""
    try:
        return _read(kind, actor, day)
    except CallFailed as error:
        if error.code != GONE:
            raise
        return _read(kind, actor, day)  # the day was written twice since we read its index


def _read(kind: Actors, actor: str, day: str) -> Iterable[str]:
    index: ArchiveIndex | None = _archive.get(index_key(kind.name, day, shard_of(actor)))
    place = index and index["actors"].get(actor)
    if not index or not place:
        return []
    offset, length, _ = place
    return lines_of(_archive.require_bytes(index["data"], first=offset, length=length))


# The archive's objects: their names, by content, and their bytes; see also `andon.recorded.archive`. Pure.

DIGITS: Final = 24  # 96 bits, as the lake's


def digest_of(texts: Iterable[str]) -> str:
    """Return the digest of some texts, in any order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:DIGITS]


def data_key(kind: str, day: str, shard: int, body: bytes) -> str:
    """Return the key of data."""
    return f"{data_folder(kind, day)}{shard:02}-{hashlib.sha256(body).hexdigest()[:DIGITS]}.ndjson.gz"


def to_data(lines: Mapping[str, Sequence[str]]) -> tuple[bytes, dict[str, Place]]:
    """Return the data of actors with their lines, and where each lies. Equal lines are equal bytes."""
    members, places, offset = list[bytes](), dict[str, Place](), 0
    for actor in sorted(lines):
        text = "".join(f"{line}\n" for line in lines[actor])
        members.append(gzip.compress(text.encode(), mtime=0))  # by default it writes the time of day into the header
        places[actor] = [offset, len(members[-1]), len(lines[actor])]
        offset += len(members[-1])
    return b"".join(members), places


# The lines of a day, by shard and actor: each event once, in order, in bounded memory. Pure.

# What a pass holds, at most, unless a single shard is larger.
MOST_BYTES: Final = 300_000_000
OVERHEAD_BYTES: Final = 400  # of a line beside its text, in Python's objects


class ShardOfKind(NamedTuple):
    """Unit of writing: a shard of a kind's actors."""

    kind: Actors
    shard: int


class Line(NamedTuple):
    """An event as the lake has it, with its place in the order of time."""

    order: str
    text: str


def _envelope_in(text: str) -> Envelope:
    """Return the envelope in a line of the lake."""
    envelope: Envelope = orjson.loads(text)
    return envelope


def _order_of(envelope: Envelope) -> str:
    """Return the text that orders events: when the bus took it, the event's own time, then which it is, in a digest.

    Ids can be long, and the text becomes part of a cursor.
    """
    timestamp = envelope["detail"].get("timestamp")
    timestamp_ms = timestamp if is_whole(timestamp) else 0
    return f"{envelope['time']}#{timestamp_ms:013d}#{digest_of(_identity_of(envelope))}"


def _identity_of(envelope: Envelope) -> tuple[str, str]:
    return envelope["source"], str(envelope["detail"].get("id"))


class Pass:
    """One reading of a day, for as many parts as memory holds: beyond `most_bytes` it gives up the last of them.

    An event that came twice is there once: the first to come to the bus. unnamed: see `actors_in`. held_bytes: size of
    the lines of its parts.
    """

    def __init__(self, parts: Sequence[ShardOfKind], *, most_bytes: int) -> None:
        self._most_bytes, self.held_bytes, self.unnamed = most_bytes, 0, 0
        self._lines: dict[ShardOfKind, dict[str, dict[tuple[str, str], Line]]] = {part: {} for part in parts}
        self._kinds = list(dict.fromkeys(part.kind for part in parts))

    @property
    def parts(self) -> list[ShardOfKind]:
        """The parts that were not given up."""
        return list(self._lines)

    def add(self, texts: Iterable[str]) -> None:
        """Keep the lines of an object."""
        for text in texts:
            envelope = _envelope_in(text)
            for kind in self._kinds:
                actors, unnamed = actors_in(kind, envelope["detail"])
                self.unnamed += unnamed
                for actor in actors:
                    self._keep(ShardOfKind(kind, shard_of(actor)), actor, envelope, text)

    def lines_of(self, part: ShardOfKind) -> dict[str, list[str]]:
        """Return the lines of each actor of a part, in order."""
        actors = self._lines[part]
        return {actor: [line.text for line in sorted(lines.values())] for actor, lines in actors.items()}

    def _keep(self, part: ShardOfKind, actor: str, envelope: Envelope, text: str) -> None:
        actors = self._lines.get(part)
        if actors is None:
            return
        lines = actors.setdefault(actor, {})
        identity, line = _identity_of(envelope), Line(_order_of(envelope), text)
        before = lines.get(identity)
        kept = lines[identity] = line if before is None else min(before, line)
        self.held_bytes += _bytes_of(kept) - (_bytes_of(before) if before else 0)
        while self.held_bytes > self._most_bytes and len(self._lines) > 1:
            self._give_up_last()

    def _give_up_last(self) -> None:
        _, actors = self._lines.popitem()
        self.held_bytes -= sum(_bytes_of(line) for lines in actors.values() for line in lines.values())


def _bytes_of(line: Line) -> int:
    return len(line.text) + OVERHEAD_BYTES


# Two requests each, which take 10 to 50 ms.
MOST_DAYS: Final = 62


class Period(NamedTuple):
    """From when to when, both inclusive, fixed-width UTC: when the bus took an event, which is in whole seconds.

    since: of events older than that nothing is shown, whenever the bus took them.
    """

    first: str
    last: str
    since: str = ""

    @classmethod
    def of(cls, first: str, last: str, *, place: str = "query") -> "Period":
        """Check a period that stands in the query or in the body.

        Raises:
            Invalid: the first lies behind the last.

        """
        if first > last:
            raise Invalid.field(f"{place}.from", "lies behind `to`")
        return cls(first=first, last=last)

    def has(self, envelope: JsonMapping) -> bool:
        """Return True if it includes an event, by its time as the bus writes it."""
        if self.since and times.to_utc(envelope["detail"]["timestamp"]) < self.since:
            return False
        return max(self.first, self.since) <= times.normalised(envelope["time"]) <= self.last


class Position(TypedDict):
    """Behind which event the next page begins: its day and its place there, "" before the first."""

    day: str
    after: str


class EventPage(NamedTuple):
    """Events as the lake has them; `behind`: where the next page begins, None at the end."""

    lines: list[str]
    behind: Position | None


def read_events(kind: Actors, actor: str, period: Period, *, limit: int, start: Position | None) -> EventPage:
    """Return up to `limit` events of an actor, or as many as a response can hold, or as `MOST_DAYS` have."""
    lines, size, days = list[str](), 0, 0
    position = start or Position(day=period.first[:10], after="")
    for day in days_of(kind, first=position["day"], last=period.last[:10]):
        if days == MOST_DAYS:
            return EventPage(lines, Position(day=day, after=""))
        days += 1
        for order, line in _events_of(kind, actor, day, period):
            if day == position["day"] and order <= position["after"]:
                continue
            size += bytes_sent(line)
            if lines and (len(lines) == limit or size > MAX_PAGE_BYTES):
                return EventPage(lines, _behind(lines[-1]))
            lines.append(line)
    return EventPage(lines, None)


def events_between(kind: Actors, actor: str, day: str, period: Period) -> Iterator[str]:
    """Return the events of a day that a period includes."""
    return (line for _, line in _events_of(kind, actor, day, period))


def _events_of(kind: Actors, actor: str, day: str, period: Period) -> Iterator[tuple[str, str]]:
    for line in read_day(kind, actor, day):
        envelope = _envelope_in(line)
        if period.has(envelope):
            yield _order_of(envelope), line


def _behind(line: str) -> Position:
    envelope = _envelope_in(line)
    return Position(day=times.normalised(envelope["time"])[:10], after=_order_of(envelope))

"""The lines of a day, by shard and actor: each event once, in order, in bounded memory. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import orjson

from andon.project import Actors
from andon.recorded.archive import shard_of
from andon.recorded.lake import Envelope
from andon.runtime.whole_number import is_whole
from andon.stores.archive.objects import digest_of
from andon.stores.archive.store import actors_in

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


def envelope_in(text: str) -> Envelope:
    """Return the envelope in a line of the lake."""
    envelope: Envelope = orjson.loads(text)
    return envelope


def order_of(envelope: Envelope) -> str:
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
            envelope = envelope_in(text)
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
        identity, line = _identity_of(envelope), Line(order_of(envelope), text)
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

"""A batch of messages -> objects and their outcomes. Pure."""

import gzip
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from andon.recorded.lake import HOUR, EnvelopeHead, folder_of
from andon.runtime.json_types import JsonObject
from andon.runtime.log import with_metrics
from andon.stores.lake.lines import LakeLine, lines_in, moment_of
from andon.views.ledger import NONE_YET
from andon.views.outcome import Outcome

# The lake's objects: which key a batch of events gets, and which bytes. Pure.
#
# An object is gzipped NDJSON, see `andon.stores.lake.lines`. It holds events of one hour by the envelope's `time`, so
# that a late event lies in the hour of its neighbours. Key and bytes depend on the events alone, neither on their
# order, nor on the entries of the bus that they shared, nor on a clock: a batch that comes again finds its object
# there, and writes nothing. Only one whose time lies ahead of the clock is filed under the time at which it came
# here.

UNREADABLE_FOLDER: Final = "unreadable"  # the folder beside that of the events

DIGITS: Final = 24  # 96 bits: no two batches of an hour get one name


def partition_of(head: EnvelopeHead) -> str:
    """Return the folder of an event: `events/day=2026-11-21/hour=09/`, in UTC."""
    moment = moment_of(head)
    return f"{folder_of(moment.date().isoformat())}{HOUR}{moment.hour:02}/"


def key_of(heads: Iterable[EnvelopeHead]) -> str:
    """Return the key of an object with these events, which are of one hour: `<folder><HHMMSS>-<24 hex>.ndjson.gz`.

    HHMMSS is the time of the earliest one; the digits are a digest of the ids and times of the lines, sorted.
    """
    found = list(heads)
    first = min(found, key=moment_of)
    lines = [f"{head['time']} {head['id']}" for head in found]
    digest = hashlib.sha256("\n".join(sorted(set(lines))).encode()).hexdigest()[:DIGITS]
    return f"{partition_of(first)}{moment_of(first):%H%M%S}-{digest}.ndjson.gz"


def unreadable_key_of(message_id: str) -> str:
    """Return the key of a body that cannot be a line, by its message: a digest would reveal erased content."""
    return f"{UNREADABLE_FOLDER}/{message_id}"


def to_bytes(body: str) -> bytes:
    """Return the bytes of any text: a surrogate that stands alone must not be lost either."""
    return body.encode(errors="surrogatepass")


def to_object(lines: Iterable[str]) -> bytes:
    """Return the bytes of an object with these lines; a line that comes twice is there once."""
    text = "".join(f"{line}\n" for line in sorted(set(lines)))
    return gzip.compress(text.encode(), mtime=0)  # by default it writes the time of day into the header


UNREADABLE: Final = "unreadable"
"""The metric of a batch."""


class LakeObject(NamedTuple):
    """An object, and of each fact in it the id of its message. Of one that is not readable it is a message's."""

    key: str
    body: bytes
    message_ids: tuple[str, ...]
    is_readable: bool = True


class ObjectResult(NamedTuple):
    """Outcome of an object: APPLIED, DUPLICATE (it was there) or FAILED; `error` names the error."""

    object: LakeObject
    outcome: Outcome
    error: str | None = None


class _Fact(NamedTuple):
    message_id: str
    line: LakeLine


def objects_of(messages: Iterable[tuple[str, str]], *, now_ms: int) -> list[LakeObject]:
    """Return one object for each hour of a batch of messages `(id, body)`, and one for each that cannot be read.

    A message with a fact of which there is no line is kept whole, too, beside its other lines.
    """
    by_hour: dict[str, list[_Fact]] = defaultdict(list)
    unreadable = list[LakeObject]()
    for message_id, body in messages:
        lines, is_whole = lines_in(body, now_ms=now_ms)
        for line in lines:
            by_hour[partition_of(line.head)].append(_Fact(message_id, line))
        if not is_whole:
            unreadable.append(_unreadable(body, message_id))
    return [*map(_object_of, by_hour.values()), *unreadable]


def failures(written: Iterable[ObjectResult]) -> list[str]:
    """Return the ids of the messages that must come again, some of them more than once."""
    return [id_ for one in written if one.outcome is Outcome.FAILED for id_ in one.object.message_ids]


def line_of(written: Sequence[ObjectResult], *, now_ms: int) -> JsonObject:
    """Return the members of the one log line of a batch, which carries its metrics, too (CloudWatch's embedded format).

    It counts facts (`received`, each outcome), messages that are `unreadable`, and the objects and bytes that were
    written.
    """
    outcomes = Counter[str]()
    for one in written:
        outcomes[one.outcome.value] += len(one.object.message_ids)
    new = [one.object for one in written if one.outcome is Outcome.APPLIED]
    counts = {
        "received": outcomes.total(),
        **NONE_YET,
        **outcomes,
        UNREADABLE: sum(not one.object.is_readable for one in written),
        "objects": len(new),
        "bytes": sum(len(one.body) for one in new),
    }
    line = {"view": "lake", **counts, "errors": sorted({one.error for one in written if one.error})}
    return with_metrics(line, [UNREADABLE], dimension="view", now_ms=now_ms)


def _object_of(facts: list[_Fact]) -> LakeObject:
    return LakeObject(
        key=key_of(fact.line.head for fact in facts),
        body=to_object(fact.line.text for fact in facts),
        message_ids=tuple(fact.message_id for fact in facts),
    )


def _unreadable(body: str, message_id: str) -> LakeObject:
    return LakeObject(unreadable_key_of(message_id), to_bytes(body), (message_id,), is_readable=False)

"""A batch of messages -> lines -> objects of the lake, and their outcomes. Pure."""

import gzip
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple, cast

import orjson

from andon.events.group import bodies_of, facts_in, head_of, is_group
from andon.recorded.lake import HOUR, EnvelopeHead, folder_of
from andon.runtime import json_text, times
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.log import with_metrics
from andon.runtime.times import MAX_AHEAD_MS
from andon.views.outcome import Outcome
from andon.views.results import NONE_YET

# A message -> the lake's lines of it: EventBridge's envelope around one fact each. Pure.
#
# A line depends on its fact and the second in which the bus took it, and on nothing else: so the bus's `id`, which is
# another one whenever an entry is put, gives way to the fact's own, and `resources` stay out. The `detail` stays as it
# was written.

CLAIMED: Final = "claimed-time"
"""The member of an envelope with the time that its publisher claimed, if that lay ahead."""

_DETAIL: Final = ',"detail":'
_DIGEST: Final = re.compile("[0-9a-f]{64}")


class _LakeLine(NamedTuple):
    """A line, and its envelope without the fact, which would keep all of a batch in memory twice."""

    text: str
    head: EnvelopeHead


class Lines(NamedTuple):
    """The lines of a message; is_whole: it had nothing else, of which no line can be made."""

    lines: list[_LakeLine]
    is_whole: bool = True


def lines_in(body: str, *, now_ms: int) -> Lines:
    """Return the lines of a message; a time that lies ahead becomes now.

    Whoever publishes may choose the time of the bus. Days that lie ahead would be compacted and sampled for good.
    """
    try:
        return Lines([*_lines(body, orjson.loads(body), now_ms)])
    except (ValueError, TypeError, KeyError, OverflowError, Poison):
        return _one_by_one(body, now_ms)


def _moment_of(head: EnvelopeHead) -> datetime:
    """Return the time at which the bus took an event, in UTC.

    Raises:
        ValueError: the time is none, or does not say its offset.

    """
    return _moment(head["time"])


@lru_cache(maxsize=256)  # the bus says whole seconds, which many events of a batch share
def _moment(time: str) -> datetime:
    moment = datetime.fromisoformat(time)
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    return moment.astimezone(UTC)


def _one_by_one(body: str, now_ms: int) -> Lines:
    """Return the lines of those facts of a group of which there can be one."""
    try:
        bodies = bodies_of(body)
    except (ValueError, Poison):
        return Lines([], is_whole=False)
    found = [lines_in(one, now_ms=now_ms) for one in bodies]
    return Lines([line for one in found for line in one.lines], all(one.is_whole for one in found))


def _lines(body: str, envelope: JsonObject, now_ms: int) -> Iterator[_LakeLine]:
    """Yield the lines of a message.

    Raises:
        Exception: of some of its facts there cannot be one.

    """
    detail = envelope["detail"]
    # Nearly always the parser writes what it has read; where it does not, what came is looked for.
    written = orjson.dumps(detail).decode()
    is_as_it_came = body.endswith(f"{_DETAIL}{written}}}")
    if not is_group(detail):
        yield _line(envelope, detail, written if is_as_it_came else json_text.members(body)["detail"], now_ms)
    elif is_as_it_came:
        for fact in facts_in(detail):
            yield _line(envelope, fact, orjson.dumps(fact).decode(), now_ms)
    else:
        for one in bodies_of(body):
            yield from _lines(one, orjson.loads(one), now_ms)


def _line(envelope: JsonObject, detail: JsonMapping, written: str, now_ms: int) -> _LakeLine:
    texts = (envelope["id"], envelope["source"], envelope["detail-type"])
    if not isinstance(detail, dict) or not all(isinstance(text, str) and text for text in texts):
        raise TypeError("no envelope of EventBridge")
    head = head_of(envelope)
    head["id"] = _id_of(envelope, detail)
    told = cast("EnvelopeHead", head)
    if _moment_of(told).timestamp() * 1000 > now_ms + MAX_AHEAD_MS:
        head[CLAIMED], head["time"] = head["time"], f"{times.to_utc(now_ms)[:19]}Z"
    around = orjson.dumps(head).decode()
    return _LakeLine(f"{around[:-1]}{_DETAIL}{_on_one_line(written)}}}", told)


def _id_of(envelope: JsonObject, detail: JsonMapping) -> str:
    """Return the id of a line: the service and the fact's own id. Without one, or if that is a digest, the bus's.

    Ids that are digests of a content, as those of faults, must not be part of a key: it would tell what was erased.
    """
    own: object = detail.get("id")
    is_own = isinstance(own, str) and own and not _DIGEST.fullmatch(own)
    return f"{envelope['source']}/{own}" if is_own else envelope["id"]


def _on_one_line(written: str) -> str:
    """Return JSON on one line. It has line breaks only between its tokens, where a space means the same."""
    return written.replace("\r", " ").replace("\n", " ")


# The lake's objects: which key a batch of events gets, and which bytes. Pure.
#
# An object is gzipped NDJSON, see `andon.stores.lake.batch`. It holds events of one hour by the envelope's `time`, so
# that a late event lies in the hour of its neighbours. Key and bytes depend on the events alone, neither on their
# order, nor on the entries of the bus that they shared, nor on a clock: a batch that comes again finds its object
# there, and writes nothing. Only one whose time lies ahead of the clock is filed under the time at which it came
# here.

_UNREADABLE_FOLDER: Final = "unreadable"  # the folder beside that of the events

DIGITS: Final = 24  # 96 bits: no two batches of an hour get one name


def partition_of(head: EnvelopeHead) -> str:
    """Return the folder of an event: `events/day=2026-11-21/hour=09/`, in UTC."""
    moment = _moment_of(head)
    return f"{folder_of(moment.date().isoformat())}{HOUR}{moment.hour:02}/"


def key_of(heads: Iterable[EnvelopeHead]) -> str:
    """Return the key of an object with these events, which are of one hour: `<folder><HHMMSS>-<24 hex>.ndjson.gz`.

    HHMMSS is the time of the earliest one; the digits are a digest of the ids and times of the lines, sorted.
    """
    found = list(heads)
    first = min(found, key=_moment_of)
    lines = [f"{head['time']} {head['id']}" for head in found]
    digest = hashlib.sha256("\n".join(sorted(set(lines))).encode()).hexdigest()[:DIGITS]
    return f"{partition_of(first)}{_moment_of(first):%H%M%S}-{digest}.ndjson.gz"


def unreadable_key_of(message_id: str) -> str:
    """Return the key of a body that cannot be a line, by its message: a digest would reveal erased content."""
    return f"{_UNREADABLE_FOLDER}/{message_id}"


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
    line: _LakeLine


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

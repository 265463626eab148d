"""A message -> the lake's lines of it: EventBridge's envelope around one fact each. Pure.

A line depends on its fact and the second in which the bus took it, and on nothing else: so the bus's `id`, which is
another one whenever an entry is put, gives way to the fact's own, and `resources` stay out. The `detail` stays as it
was written.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple, cast

import orjson

from andon.events.group import bodies_of, facts_in, head_of, is_group
from andon.recorded.lake import EnvelopeHead
from andon.runtime import json_text, times
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.times import MAX_AHEAD_MS

CLAIMED: Final = "claimed-time"
"""The member of an envelope with the time that its publisher claimed, if that lay ahead."""

_DETAIL: Final = ',"detail":'
_DIGEST: Final = re.compile("[0-9a-f]{64}")


class LakeLine(NamedTuple):
    """A line, and its envelope without the fact, which would keep all of a batch in memory twice."""

    text: str
    head: EnvelopeHead


class Lines(NamedTuple):
    """The lines of a message; is_whole: it had nothing else, of which no line can be made."""

    lines: list[LakeLine]
    is_whole: bool = True


def lines_in(body: str, *, now_ms: int) -> Lines:
    """Return the lines of a message; a time that lies ahead becomes now.

    Whoever publishes may choose the time of the bus. Days that lie ahead would be compacted and sampled for good.
    """
    try:
        return Lines([*_lines(body, orjson.loads(body), now_ms)])
    except (ValueError, TypeError, KeyError, OverflowError, Poison):
        return _one_by_one(body, now_ms)


def moment_of(head: EnvelopeHead) -> datetime:
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


def _lines(body: str, envelope: JsonObject, now_ms: int) -> Iterator[LakeLine]:
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


def _line(envelope: JsonObject, detail: JsonMapping, written: str, now_ms: int) -> LakeLine:
    texts = (envelope["id"], envelope["source"], envelope["detail-type"])
    if not isinstance(detail, dict) or not all(isinstance(text, str) and text for text in texts):
        raise TypeError("no envelope of EventBridge")
    head = head_of(envelope)
    head["id"] = _id_of(envelope, detail)
    told = cast("EnvelopeHead", head)
    if moment_of(told).timestamp() * 1000 > now_ms + MAX_AHEAD_MS:
        head[CLAIMED], head["time"] = head["time"], f"{times.to_utc(now_ms)[:19]}Z"
    around = orjson.dumps(head).decode()
    return LakeLine(f"{around[:-1]}{_DETAIL}{_on_one_line(written)}}}", told)


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

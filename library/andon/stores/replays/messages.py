"""The lines of an object -> the messages for a view. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from andon.events.bus_entry import Delivery, Replay, from_envelope, require_not_ahead, to_replayed
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.wire.queue import MOST_BYTES

Topics = Sequence[Sequence[str]]
"""`[[source, type], …]`."""


class Messages(NamedTuple):
    """Bodies in the order of their events' time; `faults`: how many events nobody could read."""

    bodies: list[str]
    faults: int


def messages_of(lines: Iterable[str], topics: Topics, job_id: str, *, now_ms: int) -> Messages:
    """Return the messages for a view that subscribes to some topics."""
    wanted, replay = {(source, event_type) for source, event_type in topics}, Replay(job_id)
    found, faults = list[tuple[int, str, str]](), 0
    for line in lines:
        try:
            envelope = _envelope_in(line)
            if (envelope.get("source"), envelope.get("detail-type")) in wanted:
                event = _require_readable(from_envelope(envelope), now_ms=now_ms).event
                found.append((event.timestamp_ms, event.id, _body(envelope, replay)))
        except Poison:
            faults += 1
    return Messages([body for _, _, body in sorted(found)], faults)


def _envelope_in(line: str) -> JsonObject:
    """Return the envelope in a line; the lake also keeps what is no strict JSON, which was a fault when it was live."""
    try:
        envelope: JsonObject = strict_json.loads(line)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    return envelope


def _require_readable(delivery: Delivery, *, now_ms: int) -> Delivery:
    require_not_ahead(delivery, now_ms=now_ms)
    return delivery


def _body(envelope: JsonObject, replay: Replay) -> str:
    """Return the body of a message; without the images of the row if it would be too long for a queue with the mark.

    Raises:
        Poison: it is too long without them, too.

    """
    body = to_replayed(envelope, replay)
    if len(body.encode()) <= MOST_BYTES:
        return body
    bare = {name: value for name, value in envelope["detail"].items() if name != "raw"}
    body = to_replayed({**envelope, "detail": bare}, replay)
    if len(body.encode()) > MOST_BYTES:
        raise Poison("too long for a queue")
    return body

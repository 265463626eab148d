"""Recorded events as messages that come again: the common part of replays and rehydrations.

A message of a job's own queue is done as often as it comes, which changes nothing that matters: whoever gets an event
twice drops it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from andon.events.bus_entry import Replay, from_envelope, require_not_ahead, to_replayed
from andon.events.identifiers import of_content
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.log import logger
from andon.runtime.message_batch import BatchResponse, handle_each, retry
from andon.runtime.tried import Failed
from andon.wire.aws import name_of
from andon.wire.deadline import in_time
from andon.wire.queue import MOST_BYTES

_ID_DIGITS: Final = 32
ID_PATTERN: Final = f"^[0-9a-f]{{{_ID_DIGITS}}}$"

Topics = Sequence[Sequence[str]]
"""`[[source, type], …]`."""


def id_of(*asked: object) -> str:
    """Return a job's id, the same one if the same is asked for by the same actor at the same time."""
    return of_content(asked, digits=_ID_DIGITS)


class Messages(NamedTuple):
    """Bodies in the order of their events' time; `faults`: how many events nobody could read."""

    bodies: list[str]
    faults: int


def messages_of(lines: Iterable[str], topics: Topics, replay: Replay, *, now_ms: int) -> Messages:
    """Return the messages for a package that has its rows from some topics."""
    wanted = {(source, event_type) for source, event_type in topics}
    found, faults = list[tuple[int, str, str]](), 0
    for line in lines:
        try:
            envelope = _envelope_in(line)
            if (envelope.get("source"), envelope.get("detail-type")) in wanted:
                delivery = from_envelope(envelope)
                require_not_ahead(delivery, now_ms=now_ms)
                found.append((delivery.event.timestamp_ms, delivery.event.id, _body(envelope, replay)))
        except Poison:
            faults += 1
    return Messages([body for _, _, body in sorted(found)], faults)


def _envelope_in(line: str) -> JsonObject:
    """Return the envelope in a line; the lake also keeps lines that are no strict JSON, which were faults when live."""
    try:
        envelope: JsonObject = strict_json.loads(line)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    return envelope


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


@in_time
def work_each(
    event: JsonMapping, context: LambdaContext, *, store: str, said: str, work: Callable[[str], Counter[str]]
) -> BatchResponse:
    """Handle a batch of a store's own queue; return the messages to try again. work: counts its effects for a body."""
    again, counts = list[str](), Counter(received=len(event["Records"]), sent=0, faults=0, failed=0)
    for message_id, done in handle_each(event["Records"], work):
        if isinstance(done, Failed):
            counts.update({"failed": 1, f"failed.{name_of(done.error)}": 1})
            again.append(message_id)
        else:
            counts.update(done)
    logger().info(said, extra={"function_request_id": context.aws_request_id, "view": store, **counts})
    return retry(again)

"""A batch of messages -> objects and their outcomes. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from andon.recorded.lake import Envelope
from andon.runtime.json_types import JsonObject
from andon.runtime.metrics import directive
from andon.stores.lake import objects
from andon.views.ledger import NONE_YET, Result
from andon.views.outcome import Outcome

COUNTS: Final = ("received", *NONE_YET, "unreadable", "objects", "bytes")
"""The metrics of a batch."""


class LakeObject(NamedTuple):
    """An object, and the ids of the messages that it holds."""

    key: str
    body: bytes
    message_ids: tuple[str, ...]
    is_readable: bool = True


class ObjectResult(NamedTuple):
    """Outcome of an object: APPLIED, DUPLICATE (it was there) or FAILED; `error` names what went wrong."""

    object: LakeObject
    outcome: Outcome
    error: str | None = None


class _Message(NamedTuple):
    id: str
    line: str
    envelope: Envelope


def objects_of(messages: Iterable[tuple[str, str]], *, now_ms: int) -> list[LakeObject]:
    """Return one object for each hour of a batch of messages `(id, body)`, and one for each that cannot be read."""
    by_hour: dict[str, list[_Message]] = defaultdict(list)
    unreadable = list[LakeObject]()
    for message_id, body in messages:
        if envelope := objects.read(body):
            message = _Message(message_id, *objects.taken(body, envelope, now_ms=now_ms))
            by_hour[objects.partition_of(message.envelope)].append(message)
        else:
            unreadable.append(_unreadable(body, message_id))
    return [*map(_object_of, by_hour.values()), *unreadable]


def results_of(written: Iterable[ObjectResult]) -> list[Result]:
    """Return the result of each message."""
    return [
        Result(message_id, outcome, error=error) for one, outcome, error in written for message_id in one.message_ids
    ]


def line_of(written: Sequence[ObjectResult], *, now_ms: int) -> JsonObject:
    """Return the members of the one log line of a batch, which carries its metrics, too (CloudWatch's embedded format).

    It counts messages (`received`, each outcome, `unreadable`), and the objects and bytes that were written.
    """
    results = results_of(written)
    new = [one.object for one in written if one.outcome is Outcome.APPLIED]
    counts = {
        "received": len(results),
        **NONE_YET,
        **Counter(result.outcome.value for result in results),
        "unreadable": sum(len(one.object.message_ids) for one in written if not one.object.is_readable),
        "objects": len(new),
        "bytes": sum(len(one.body) for one in new),
    }
    return {
        "view": "lake",
        **counts,
        "errors": sorted({result.error for result in results if result.error}),
        "_aws": directive(dimension="view", counts=COUNTS, now_ms=now_ms),
    }


def _object_of(messages: list[_Message]) -> LakeObject:
    return LakeObject(
        key=objects.key_of(message.envelope for message in messages),
        body=objects.to_object(message.line for message in messages),
        message_ids=tuple(message.id for message in messages),
    )


def _unreadable(body: str, message_id: str) -> LakeObject:
    return LakeObject(objects.unreadable_key_of(message_id), objects.to_bytes(body), (message_id,), is_readable=False)

"""A batch of messages -> objects and their outcomes. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.runtime.metrics import with_metrics
from andon.stores.lake import objects
from andon.stores.lake.lines import LakeLine, lines_in
from andon.views.ledger import NONE_YET
from andon.views.outcome import Outcome

UNREADABLE: Final = "unreadable"
"""The metric of a batch."""


class LakeObject(NamedTuple):
    """An object, and of each fact in it the id of its message. Of one that is not readable it is a message's."""

    key: str
    body: bytes
    message_ids: tuple[str, ...]
    is_readable: bool = True


class ObjectResult(NamedTuple):
    """Outcome of an object: APPLIED, DUPLICATE (it was there) or FAILED; `error` names what went wrong."""

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
            by_hour[objects.partition_of(line.head)].append(_Fact(message_id, line))
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
        key=objects.key_of(fact.line.head for fact in facts),
        body=objects.to_object(fact.line.text for fact in facts),
        message_ids=tuple(fact.message_id for fact in facts),
    )


def _unreadable(body: str, message_id: str) -> LakeObject:
    return LakeObject(objects.unreadable_key_of(message_id), objects.to_bytes(body), (message_id,), is_readable=False)

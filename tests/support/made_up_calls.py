"""Calls at machines, and causes of their trouble, made up beside the reports that there are."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from contract.entities.calls import CallEntity, CauseEntity
from demo.lake.envelopes import LakeEnvelope, Writer
from demo.people import LIZ, SARA

CATEGORIES: Final = ("material", "quality", "safety")
CAUSES: Final = ("out-of-coils", "bent-guide", "no-air")


def calls_beside(envelopes: Iterable[LakeEnvelope], dice: Random) -> Iterator[LakeEnvelope]:
    """Yield the facts of calls raised now and then where a machine reports; some are not over, some in two versions."""
    write = Writer(dice)
    for one in envelopes:
        if one["detail-type"] == "state-reported" and dice.random() < 1 / 40:
            yield from _call(one["detail"]["partitionKey"], one["detail"]["timestamp"], write, dice)


def causes_of(envelopes: Iterable[LakeEnvelope], dice: Random) -> Iterator[LakeEnvelope]:
    """Yield the facts of causes, some of which were put right afterwards, of one in six reports of trouble."""
    write = Writer(dice)
    for one in envelopes:
        if one["detail-type"] == "state-reported" and dice.random() < 1 / 6:
            state, at_ms = one["detail"]["state"], one["detail"]["timestamp"]
            if state["state"] == "NORMAL":
                continue
            for version in range(1, dice.choice((2, 2, 3, 12))):
                cause = CauseEntity(
                    equipmentId=one["detail"]["partitionKey"],
                    startedAt=times.to_utc(at_ms),
                    version=version,
                    factoryId="gdl-1",
                    cause=dice.choice(CAUSES),
                )
                yield write.explained(cause, at_ms=at_ms + version, actor=SARA)


def _call(equipment_id: str, at_ms: int, write: Writer, dice: Random) -> Iterator[LakeEnvelope]:
    call: CallEntity = {
        "id": f"{dice.getrandbits(32):08x}-0000-4000-8000-{dice.getrandbits(48):012x}",
        "version": 1,
        "equipmentId": equipment_id,
        "factoryId": dice.choice(("gdl-1", "gdl-2")),
        "lineId": "line-3",
        "category": dice.choice(CATEGORIES),
        "priority": 2,
        "status": "raised",
        "raisedAt": times.to_utc(at_ms),
        "raisedBy": LIZ,
    }
    yield write.called(call, at_ms=at_ms, actor=LIZ)
    end = dice.choice(("open", "rejected", "closed", "closed", "closed"))
    for _ in range(dice.choice((0, 1, 1, 9))):  # the taker changes; the tenth version comes behind the ninth
        at_ms += dice.randrange(1, 9 * MINUTE_MS)
        call = {**call, "version": call["version"] + 1, "status": "taken", "taker": SARA}
        call.setdefault("takenAt", times.to_utc(at_ms))
        yield write.called(call, at_ms=at_ms, actor=SARA)
    at_ms += dice.randrange(1, 50 * MINUTE_MS)
    ended: CallEntity = {**call, "version": call["version"] + 1, "endedAt": times.to_utc(at_ms), "endedBy": SARA}
    if end == "rejected":
        yield write.called({**ended, "status": "rejected", "reason": "a drill"}, at_ms=at_ms, actor=SARA)
    elif end == "closed":
        why: CallEntity = {**ended, "status": "closed"}
        if dice.random() < 0.9:
            why["cause"] = dice.choice(CAUSES)
        yield write.called(why, at_ms=at_ms, actor=SARA)

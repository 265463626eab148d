"""Requests for help, and how people were told of them, made up beside the reports and calls that there are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, Final

from andon.runtime.clock import MINUTE_MS
from contract.entities.alerts import CallRef, HelpEntity
from contract.entities.logs import LogRef
from contract.entities.telling import FailedEntity, ToldEntity
from demo.lake.envelopes import LakeEnvelope, Writer
from demo.people import LIZ, SARA, SUE

ASKED: Final = (LIZ, SUE, SARA)
CHANNELS: Final = ("push", "sms", "mail")
HALF: Final = 0.5


def tellings_beside(envelopes: Iterable[LakeEnvelope], dice: Random) -> Iterator[LakeEnvelope]:
    """Yield the facts about some calls, and some trouble: who was asked, who was told, what failed.

    A message is about an earlier one of the same machine, too, of which the person may have been told before.
    """
    write = Writer(dice)
    earlier: dict[str, list[LogRef | CallRef]] = defaultdict(list)
    for one in envelopes:
        about = _about(one["detail"])
        if about is None or dice.random() < HALF:
            continue
        machine = about["equipmentId"]
        for person in dice.sample(ASKED, dice.choice((1, 2))):
            at_ms = one["detail"]["timestamp"] + dice.randrange(0, 12 * MINUTE_MS)
            yield write.asked(_request(about, person, dice), at_ms=at_ms)
            yield from _told([about, *earlier[machine][-1:]], person, at_ms, write, dice)
        earlier[machine].append(about)


def _about(fact: dict[str, Any]) -> LogRef | CallRef | None:
    if fact["type"] == "call-raised":
        return {"callId": fact["call"]["id"], "equipmentId": fact["call"]["equipmentId"]}
    if fact["type"] != "state-reported" or fact["state"]["state"] == "NORMAL":
        return None
    state = fact["state"]
    return {"equipmentId": state["equipmentId"], "state": state["state"], "timestamp": state["timestamp"]}


def _request(about: LogRef | CallRef, person: str, dice: Random) -> HelpEntity:
    return {
        "by": "rule",
        "rule": "trouble",
        "triggers": [],
        "about": about,
        "name": about["equipmentId"],
        "factoryId": "gdl-1",
        "what": "ERROR",
        "since": "2026-10-05T00:00:00.000Z",
        "chain": "errors",
        "step": 1,
        "repeat": 0,
        "minutes": 0,
        "urgency": dice.choice(("low", "high")),
        "person": person,
    }


def _told(
    about: list[LogRef | CallRef], person: str, at_ms: int, write: Writer, dice: Random
) -> Iterator[LakeEnvelope]:
    """Yield how a message goes: some channels fail, some messages are told by two, one in five by none."""
    message = f"{at_ms}.now"
    channels = dice.sample(CHANNELS, dice.choice((0, 1, 1, 2, 3)))
    for channel in channels:
        at_ms += dice.randrange(10_000, 90_000)
        if dice.random() < HALF / 2:
            failure = FailedEntity(person=person, message=message, about=about, of=1, channel=channel, reason="refused")
            yield write.untold(failure, at_ms=at_ms)
            continue
        told = ToldEntity(person=person, message=message, about=about, of=1, channel=channel, providerId="1")
        yield from write.told({**told, "repeated": True} if dice.random() < HALF / 2 else told, at_ms=at_ms)
    if not channels:
        failure = FailedEntity(person=person, message=message, about=about, of=1, reason="no-channel")
        yield write.untold(failure, at_ms=at_ms)

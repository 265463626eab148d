"""notify's gateway: its messages wake the sender, which alone calls outside."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from andon.outbound.channels import channels_of_environment
from andon.outbound.delivery import Channel, Delivery, Gateway, Message, Notice, Waiting, Wake, Way
from andon.outbound.links import MOST_CHARACTERS
from contract.links import link_to
from contract.log_rows import log_of
from services.notify import notices as requests
from services.notify import over, proving, reach, telling
from services.notify.fact_types import (
    DELIVERY_FAILED,
    MESSAGE_DECIDED,
    MESSAGE_OVERDUE,
    PERSON_TOLD,
    SOURCE,
    TROUBLE_TOLD,
)
from services.notify.message import wake_of
from services.notify.proofs import asked_in, proof_in, proof_text, way_of
from services.notify.tables import TABLE, person_in
from services.notify.text import subjects_of, text_of

LONGEST_TOKEN: Final = {"sms": 200}
"""Characters: of the three parts of an SMS a link takes no more than two."""

CHANNELS: dict[str, Channel] = {}
"""By name; they take the place of those of the deployment."""


def channels() -> Mapping[str, Channel]:
    """Return the channels of this deployment."""
    return {**_channels(), **CHANNELS}


@cache
def _channels() -> Mapping[str, Channel]:
    return channels_of_environment(source="andon")


def waiting_of(wake: Wake, now_ms: int) -> Waiting:
    """Read the notices that a message must tell: requests to the person, ended ones, or a code or test."""
    if told := over.told_in(wake.message):
        return over.waiting_of(wake, told)
    proof = proof_in(wake.message)
    return proving.waiting_of(wake, proof, now_ms) if proof else requests.waiting_of(wake, now_ms)


def ways_of(wake: Wake, due: Sequence[Notice], now_ms: int) -> Sequence[Way]:
    """Read the ways of telling a person; a code, a test or an end has one."""
    if over.told_in(wake.message):
        return [over.ended_in(notice).way for notice in due[:1]]
    if proof_in(wake.message):
        return [way_of(asked_in(notice)) for notice in due]
    return reach.ways_of(wake, due, now_ms)


def compose(wake: Wake, way: Way, notices: Sequence[Notice], now_ms: int) -> Message:
    """Make the message."""
    if over.told_in(wake.message):
        return over.compose(wake, way, notices)
    is_asked_for = proof_in(wake.message) is not None
    text = proof_text(asked_in(notices[0])) if is_asked_for else text_of(notices, way.language)
    return Message(
        id=wake.message,
        address=way.address,
        subject=text.subject,
        text=text.text,
        urgency="high" if any(notice.is_urgent for notice in notices) else "low",
        about=wake.message if is_asked_for else over.name_of(wake.message, subjects_of(notices)),
        link=None if is_asked_for else _link_of(wake, way, notices, now_ms),
        language=way.language,
    )


def _link_of(wake: Wake, way: Way, notices: Sequence[Notice], now_ms: int) -> str | None:
    """Return the link that acknowledges its logs; a call is taken on the page, after signing in."""
    about = [one for one in subjects_of(notices) if "callId" not in one]
    logs = [log_of(one["equipmentId"], one["state"], one["timestamp"]) for one in about]
    language = "" if way.language == reach.LANGUAGE else way.language  # most need no room for it
    longest = LONGEST_TOKEN.get(way.channel, MOST_CHARACTERS)
    return link_to(person_in(wake.recipient), logs, longest=longest, now_ms=now_ms, language=language)


def tell_story(delivery: Delivery, covered: Sequence[Notice]) -> None:
    """Put the notices of a delivery into the stories of its subjects; codes, tests and ends have none."""
    if not proof_in(delivery.message) and not over.told_in(delivery.message):
        telling.put_rows(delivery, covered)


GATEWAY = Gateway(
    table=TABLE,
    on=frozenset({(SOURCE, MESSAGE_DECIDED), (SOURCE, MESSAGE_OVERDUE)}),
    emits=frozenset({PERSON_TOLD, TROUBLE_TOLD, DELIVERY_FAILED}),
    wake_of=wake_of,
    waiting_of=waiting_of,
    ways_of=ways_of,
    compose=compose,
    channels=channels,
    tell_story=tell_story,
)

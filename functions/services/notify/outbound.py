"""notify's gateway: its messages wake the sender, which alone calls outside."""

from collections.abc import Mapping, Sequence
from functools import cache

from andon.outbound.channel import Channel, Message
from andon.outbound.channels import channels_of_environment
from andon.outbound.delivery import Delivery, Notice
from andon.outbound.gateway import Gateway, Waiting, Wake, Way
from services.notify import notices as requests
from services.notify import proving, reach, telling
from services.notify.fact_types import DELIVERY_FAILED, MESSAGE_DECIDED, MESSAGE_OVERDUE, PERSON_TOLD, SOURCE
from services.notify.message import wake_of
from services.notify.proofs import asked_in, proof_in, proof_text, way_of
from services.notify.tables import TABLE
from services.notify.text import text_of

CHANNELS: dict[str, Channel] = {}
"""By name; they take the place of those of the deployment."""


def channels() -> Mapping[str, Channel]:
    """Return the channels of this deployment."""
    return {**_channels(), **CHANNELS}


@cache
def _channels() -> Mapping[str, Channel]:
    return channels_of_environment(source="andon")


def waiting_of(wake: Wake, now_ms: int) -> Waiting:
    """Read what a message is to tell: what the person was asked, or what they asked for."""
    proof = proof_in(wake.message)
    return proving.waiting_of(wake, proof, now_ms) if proof else requests.waiting_of(wake, now_ms)


def ways_of(wake: Wake, due: Sequence[Notice], now_ms: int) -> Sequence[Way]:
    """Read by which ways a person is told; of what they asked for it is the one that they named."""
    if proof_in(wake.message):
        return [way_of(asked_in(notice)) for notice in due]
    return reach.ways_of(wake, due, now_ms)


def compose(wake: Wake, way: Way, notices: Sequence[Notice], now_ms: int) -> Message:  # noqa: ARG001  see Gateway
    """Make what is sent."""
    is_asked_for = proof_in(wake.message) is not None
    text = proof_text(asked_in(notices[0])) if is_asked_for else text_of(notices, way.language)
    return Message(
        id=wake.message,
        address=way.address,
        subject=text.subject,
        text=text.text,
        urgency="high" if any(notice.is_urgent for notice in notices) else "low",
        about=wake.message,
        link=None,
        language=way.language,
    )


def tell_story(delivery: Delivery, covered: Sequence[Notice]) -> None:
    """Put what a delivery told into the stories of its subjects; codes and tests tell nothing."""
    if not proof_in(delivery.message):
        telling.tell_story(delivery, covered)


GATEWAY = Gateway(
    table=TABLE,
    on=frozenset({(SOURCE, MESSAGE_DECIDED), (SOURCE, MESSAGE_OVERDUE)}),
    emits=frozenset({PERSON_TOLD, DELIVERY_FAILED}),
    wake_of=wake_of,
    waiting_of=waiting_of,
    ways_of=ways_of,
    compose=compose,
    channels=channels,
    tell_story=tell_story,
)

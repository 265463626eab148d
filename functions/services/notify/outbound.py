"""notify's gateway: its messages wake the sender, which alone calls outside."""

from collections.abc import Mapping, Sequence
from functools import cache

from andon.outbound.channel import Channel, Message
from andon.outbound.channels import channels_of_environment
from andon.outbound.delivery import Notice
from andon.outbound.gateway import Gateway, Wake, Way
from services.notify.fact_types import DELIVERY_FAILED, MESSAGE_DECIDED, MESSAGE_OVERDUE, PERSON_TOLD, SOURCE
from services.notify.message import wake_of
from services.notify.notices import waiting_of
from services.notify.reach import ways_of
from services.notify.tables import TABLE
from services.notify.telling import tell_story
from services.notify.text import text_of

CHANNELS: dict[str, Channel] = {}
"""By name; they take the place of those of the deployment."""


def channels() -> Mapping[str, Channel]:
    """Return the channels of this deployment."""
    return {**_channels(), **CHANNELS}


@cache
def _channels() -> Mapping[str, Channel]:
    return channels_of_environment(source="andon")


def compose(wake: Wake, way: Way, notices: Sequence[Notice], now_ms: int) -> Message:  # noqa: ARG001  see Gateway
    """Make what is sent."""
    text = text_of(notices, way.language)
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

"""Bodies of requests about how a person is reached."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired, TypedDict

from andon.http.derived import Matches
from andon.http.parameters import Path, described
from andon.http.said import UNIQUE, different
from andon.outbound.addresses import (
    MAIL_PATTERN,
    MOST_CHARACTERS,
    MOST_CHARACTERS_OF_MAIL,
    PHONE_PATTERN,
    mail_address,
    phone_number,
    subscription_of,
)
from andon.outbound.channels import hosts_in
from andon.outbound.variables import PUSH_HOSTS, WEBHOOK_HOSTS
from andon.runtime import strict_json
from andon.runtime.marks import Bounds, Named, Says, Takes
from contract.entities.duty import Clock, Zone
from services.notify.contact import CHANNELS, Channel

MOST_PUSH: Final = 5
MOST_WEBHOOKS: Final = 3
LANGUAGE_PATTERN: Final = "^[a-z]{2}(-[A-Z]{2})?$"
CODE_PATTERN: Final = "^[0-9]{6}$"
POINT_PATTERN: Final = "^B[A-Za-z0-9_-]{86}$"  # 65 bytes, of which the first is 4
AUTH_PATTERN: Final = "^[A-Za-z0-9_-]{22}$"  # 16 bytes


def _webhook(address: str) -> str:
    hosts_in(WEBHOOK_HOSTS).target_of(address)
    return address


def _require_subscriptions(found: Sequence[Mapping[str, Any]]) -> None:
    for one in found:
        subscription_of(one, hosts_in(PUSH_HOSTS))
    different([strict_json.dumps(one) for one in found])


Mail = Annotated[
    str,
    Takes(mail_address, {"type": "string", "pattern": MAIL_PATTERN, "maxLength": MOST_CHARACTERS_OF_MAIL}),
    Says("ana@example.com", "yes"),
]
Phone = Annotated[str, Takes(phone_number, {"type": "string", "pattern": PHONE_PATTERN}), Says("+5213312345678", "yes")]
Webhook = Annotated[
    str,
    Takes(_webhook, {"type": "string", "pattern": "^https://", "maxLength": MOST_CHARACTERS}),
    Says(personal="yes"),
]

ChannelName = Annotated[Channel, described({"type": "string", "enum": [*CHANNELS]}, "mail"), Path(alias="channel")]


class PushKeys(TypedDict):
    """The keys of a browser."""

    p256dh: Annotated[str, Matches(POINT_PATTERN), Says(personal="yes")]
    auth: Annotated[str, Matches(AUTH_PATTERN), Says(personal="yes")]


class PushBody(TypedDict):
    """A subscription, as `PushSubscription.toJSON()` gives it."""

    endpoint: Annotated[str, Matches("^https://"), Bounds(most=MOST_CHARACTERS), Says(personal="yes")]
    keys: Annotated[PushKeys, Named("PushKeys")]
    expirationTime: NotRequired[None]


_Hours = TypedDict(
    "_Hours", {"from": Annotated[Clock, Says("22:00")], "to": Annotated[Clock, Says("06:00")], "timezone": Zone}
)


class QuietHours(_Hours):
    """Hours in which loud channels come last."""


class ContactBody(TypedDict):
    """How a person is reached: the addresses, and the channels in the order in which they are tried."""

    email: NotRequired[Mail]
    phone: NotRequired[Phone]
    push: NotRequired[Annotated[list[PushBody], Bounds(most=MOST_PUSH), Takes(_require_subscriptions, UNIQUE)]]
    webhooks: NotRequired[Annotated[list[Webhook], Bounds(most=MOST_WEBHOOKS), Takes(different, UNIQUE)]]
    language: NotRequired[Annotated[str, Matches(LANGUAGE_PATTERN), Says("es", "no")]]
    order: NotRequired[Annotated[list[Channel], Bounds(1, len(CHANNELS)), Takes(different, UNIQUE)]]
    quietHours: NotRequired[Annotated[QuietHours, Named("QuietHours")]]


class CodeBody(TypedDict):
    """The code that was sent to an address."""

    code: Annotated[str, Matches(CODE_PATTERN), Says("123456", "no")]

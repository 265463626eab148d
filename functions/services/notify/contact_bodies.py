"""Bodies of requests and responses about how a person is reached."""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic.config import JsonDict

from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Path, described
from andon.http.schemas import IMPERSONAL, PERSONAL
from andon.outbound.addresses import MAIL_PATTERN, MOST_CHARACTERS_OF_MAIL, PHONE_PATTERN, mail_address, phone_number
from andon.outbound.channels import hosts_in
from andon.outbound.hosts import MOST_CHARACTERS
from andon.outbound.subscription import subscription_of
from andon.outbound.variables import PUSH_HOSTS, WEBHOOK_HOSTS
from contract import names, schemas
from contract.zones import zone_of
from services.notify.contact import Channel

MOST_PUSH: Final = 5
MOST_WEBHOOKS: Final = 3
LANGUAGE_PATTERN: Final = "^[a-z]{2}(-[A-Z]{2})?$"
CODE_PATTERN: Final = "^[0-9]{6}$"
POINT_PATTERN: Final = "^B[A-Za-z0-9_-]{86}$"  # 65 bytes, of which the first is 4
AUTH_PATTERN: Final = "^[A-Za-z0-9_-]{22}$"  # 16 bytes


def _zone(name: str) -> str:
    zone_of(name)
    return name


def _webhook(address: str) -> str:
    hosts_in(WEBHOOK_HOSTS).target_of(address)
    return address


def _different(values: list[Any]) -> list[Any]:
    if any(value in values[:index] for index, value in enumerate(values)):
        raise ValueError("must name each of them once")
    return values


UNIQUE: Final[JsonDict] = {"uniqueItems": True}
_DIFFERENT: Final = AfterValidator(_different)

Mail = Annotated[
    str,
    AfterValidator(mail_address),
    WithJsonSchema({"type": "string", "pattern": MAIL_PATTERN, "maxLength": MOST_CHARACTERS_OF_MAIL} | PERSONAL),
]
Phone = Annotated[
    str, AfterValidator(phone_number), WithJsonSchema({"type": "string", "pattern": PHONE_PATTERN} | PERSONAL)
]
Webhook = Annotated[
    str,
    AfterValidator(_webhook),
    WithJsonSchema({"type": "string", "pattern": "^https://", "maxLength": MOST_CHARACTERS} | PERSONAL),
]
Clock = Annotated[str, AfterValidator(names.clock), WithJsonSchema(schemas.CLOCK)]
Zone = Annotated[str, AfterValidator(_zone), WithJsonSchema(schemas.ZONE | IMPERSONAL)]

ChannelName = Annotated[
    Channel, described({"type": "string", "enum": ["push", "sms", "mail", "webhook"]}, "mail"), Path(alias="channel")
]


class PushKeys(RequestModel):
    """The keys of a browser."""

    p256dh: str = Field(pattern=POINT_PATTERN, json_schema_extra=PERSONAL)
    auth: str = Field(pattern=AUTH_PATTERN, json_schema_extra=PERSONAL)


class PushBody(RequestModel):
    """A subscription, as `PushSubscription.toJSON()` gives it."""

    endpoint: str = Field(pattern="^https://", max_length=MOST_CHARACTERS, json_schema_extra=PERSONAL)
    keys: PushKeys
    expirationTime: None = None  # noqa: N815  the browser's name


def _subscriptions(found: list[PushBody]) -> list[PushBody]:
    for one in found:
        subscription_of(one.model_dump(), hosts_in(PUSH_HOSTS))
    return _different(found)


class QuietHours(RequestModel):
    """Hours in which loud channels come last."""

    since: Clock = Field(alias="from", examples=["22:00"])
    until: Clock = Field(alias="to", examples=["06:00"])
    timezone: Zone = Field(examples=["America/Mexico_City"])


class ContactBody(RequestModel):
    """How a person is reached: the addresses, and the channels in the order in which they are tried."""

    email: Mail | None = Field(None, examples=["ana@example.com"])
    phone: Phone | None = Field(None, examples=["+5213312345678"])
    push: (
        Annotated[list[PushBody], Field(max_length=MOST_PUSH, json_schema_extra=UNIQUE), AfterValidator(_subscriptions)]
        | None
    ) = None
    webhooks: Annotated[list[Webhook], Field(max_length=MOST_WEBHOOKS, json_schema_extra=UNIQUE), _DIFFERENT] | None = (
        None
    )
    language: str | None = Field(None, pattern=LANGUAGE_PATTERN, examples=["es"], json_schema_extra=IMPERSONAL)
    order: Annotated[list[Channel], Field(min_length=1, max_length=4, json_schema_extra=UNIQUE), _DIFFERENT] | None = (
        None
    )
    quietHours: QuietHours | None = None  # noqa: N815


class CodeBody(RequestModel):
    """The code that was sent to an address."""

    code: str = Field(pattern=CODE_PATTERN, examples=["123456"], json_schema_extra=IMPERSONAL)


class ContactResponse(ResponseModel):
    """How a person is reached: in full for the person, masked for others. `verifiedAt`: by channel, fixed-width UTC."""

    email: str | Absent = None
    phone: str | Absent = None
    push: list[Any] | Absent = None
    webhooks: list[str] | Absent = None
    language: str | Absent = None
    order: list[Literal["push", "sms", "mail", "webhook"]] | Absent = None
    quietHours: dict[str, str] | Absent = None  # noqa: N815
    verifiedAt: dict[str, str]  # noqa: N815
    version: int
    changedAt: str  # noqa: N815

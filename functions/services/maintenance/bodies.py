"""Bodies and parameters of maintenance's requests and responses."""

import hashlib
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import schemas
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Path, described
from andon.runtime import times
from contract import names
from contract.entities.maintenance import OrderStatus, Result

LONGEST_MINUTES: Final = 30 * 24 * 60
MOST_READINGS: Final = 50
LARGEST_READING: Final = 1e15  # above, and far below it, DynamoDB's 38 digits would not hold every number

Day = Annotated[str, AfterValidator(times.date), WithJsonSchema(schemas.DATE)]

OrderDate = Annotated[
    str,
    AfterValidator(times.date),
    described(schemas.DATE, "2026-11-30"),
    Path(alias="date", description="The day (UTC) that the order was first planned for."),
]
OrderKind = Annotated[
    str,
    AfterValidator(names.order_kind),
    described({"type": "string", "pattern": names.ORDER_KIND_PATTERN}, "lubrication"),
    Path(alias="kind", description="The kind of maintenance."),
]
Name = Annotated[str, AfterValidator(names.order_kind), WithJsonSchema({"pattern": names.ORDER_KIND_PATTERN})]
Reading = Annotated[float, Field(ge=-LARGEST_READING, le=LARGEST_READING, allow_inf_nan=False)]
Readings = Annotated[
    dict[Name, Reading],
    Field(
        min_length=1,
        max_length=MOST_READINGS,
        examples=[{"oil-pressure": 4.2}],
        json_schema_extra={"additionalProperties": False},
    ),
]


Digest = Annotated[
    str,
    AfterValidator(names.sha256),
    described({"type": "string", "pattern": names.SHA256_PATTERN}, hashlib.sha256(b"a photo").hexdigest()),
    Path(alias="sha256", description="The SHA-256 of the bytes, in small hexadecimal digits."),
]
ContentType = Literal["image/jpeg", "image/png", "image/webp", "application/pdf"]
MOST_BYTES: Final = 10 * 1024 * 1024


class PlanBody(RequestModel):
    """The day (UTC) that it is planned for, without one that of its id, and how long it is expected to take."""

    plannedFor: Day | None = Field(default=None, examples=["2026-12-01"])  # noqa: N815  the contract's name
    minutes: int | None = Field(default=None, ge=1, le=LONGEST_MINUTES, examples=[45])


class FinishBody(RequestModel):
    """How it ended, and what was measured then, which is logged as other readings are."""

    result: Result = Field(examples=["done"])
    readings: Readings | None = None


class ReadingsBody(RequestModel):
    """What was measured, by name."""

    readings: Readings


class ReadingsResponse(ResponseModel):
    """Readings of an order under their number; times are fixed-width UTC. `date` is the day in the order's id."""

    equipmentId: str  # noqa: N815
    date: str
    kind: str
    number: int
    readings: dict[str, float]
    takenAt: str  # noqa: N815
    takenBy: str  # noqa: N815


class AllReadingsResponse(ResponseModel):
    """A page of readings; a missing cursor is the end."""

    items: list[ReadingsResponse]
    cursor: str | Absent = None


class OrderResponse(ResponseModel):
    """A version of an order; times are fixed-width UTC, days are UTC. `date` is the day in its id.

    readingsNumber: of what was measured at its end. Of an open order of the company that had the machine before,
    factory and author are left out.
    """

    equipmentId: str  # noqa: N815
    date: str
    kind: str
    version: int
    factoryId: str | Absent = None  # noqa: N815
    plannedFor: str  # noqa: N815
    minutes: int | Absent = None
    status: OrderStatus
    startedAt: str | Absent = None  # noqa: N815
    finishedAt: str | Absent = None  # noqa: N815
    result: Result | Absent = None
    readingsNumber: int | Absent = None  # noqa: N815
    changedAt: str  # noqa: N815
    changedBy: str | Absent = None  # noqa: N815


class AttachBody(RequestModel):
    """What the bytes are, and how many."""

    contentType: ContentType = Field(examples=["image/jpeg"])  # noqa: N815
    bytes: int = Field(ge=1, le=MOST_BYTES, examples=[7])


class AttachmentResponse(ResponseModel):
    """An attachment; its bytes can be read at `url`, without a token, until `urlExpiresAt`.

    isMissing: they are lost, and `url` answers 404; who attaches them again is asked to upload them.
    """

    equipmentId: str  # noqa: N815
    date: str
    kind: str
    sha256: str
    contentType: ContentType  # noqa: N815
    bytes: int
    addedAt: str  # noqa: N815
    addedBy: str  # noqa: N815
    url: str
    urlExpiresAt: str  # noqa: N815
    isMissing: Literal[True] | Absent = None  # noqa: N815


class AttachmentsResponse(ResponseModel):
    """A page of attachments; a missing cursor is the end."""

    items: list[AttachmentResponse]
    cursor: str | Absent = None


class UploadRequest(ResponseModel):
    """The request that uploads the bytes: with these headers and no others of its own, begun before `expiresAt`."""

    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expiresAt: str  # noqa: N815


class UploadResponse(ResponseModel):
    """The bytes are not there yet: upload them, then send the same request again."""

    upload: UploadRequest


class OrdersResponse(ResponseModel):
    """A page of orders; a missing cursor is the end."""

    items: list[OrderResponse]
    cursor: str | Absent = None

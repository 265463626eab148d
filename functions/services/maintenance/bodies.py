"""Bodies and parameters of maintenance's requests, and its responses."""

import hashlib
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from pydantic import AfterValidator

from andon.http import models
from andon.http.derived import PageOf, Shown
from andon.http.parameters import Path, described
from andon.runtime import times
from andon.runtime.marks import Bounds, Says, Takes
from contract import names
from contract.entities.maintenance import ContentType, Plan, Result
from services.maintenance.attachment import AttachmentVersion
from services.maintenance.order import OrderVersion
from services.maintenance.readings import ReadingsVersion

MOST_READINGS: Final = 50
LARGEST_READING: Final = 10**15  # above, and far below it, DynamoDB's 38 digits would not hold every number
MOST_BYTES: Final = 10 * 1024 * 1024

OrderDate = Annotated[
    str,
    AfterValidator(times.date),
    described(models.DATE, "2026-11-30"),
    Path(alias="date", description="The day (UTC) that the order was first planned for."),
]
OrderKind = Annotated[
    str,
    AfterValidator(names.order_kind),
    described(names.schema(names.ORDER_KIND_PATTERN), "lubrication"),
    Path(alias="kind", description="The kind of maintenance."),
]
Digest = Annotated[
    str,
    AfterValidator(names.sha256),
    described(names.schema(names.SHA256_PATTERN), hashlib.sha256(b"a photo").hexdigest()),
    Path(alias="sha256", description="The SHA-256 of the bytes, in small hexadecimal digits."),
]

Day = Annotated[str, Takes(times.date, models.DATE)]
Name = Annotated[str, Takes(names.order_kind, {"pattern": names.ORDER_KIND_PATTERN})]
Reading = Annotated[float, Bounds(-LARGEST_READING, LARGEST_READING)]
Readings = Annotated[dict[Name, Reading], Bounds(1, MOST_READINGS), Says({"oil-pressure": 4.2})]


class PlanBody(Plan):
    """The day (UTC) that it is planned for, without one that of its id, and how long it is expected to take."""

    plannedFor: NotRequired[Annotated[Day, Says("2026-12-01")]]  # noqa: N815  the contract's name


class FinishBody(TypedDict):
    """The result, and the readings at the end, which are logged as other readings are."""

    result: Annotated[Result, Says("done")]
    readings: NotRequired[Readings]


class ReadingsBody(TypedDict):
    """Measured values, by name."""

    readings: Readings


class AttachBody(TypedDict):
    """The type of the bytes, and their number."""

    contentType: Annotated[ContentType, Says("image/jpeg")]
    bytes: Annotated[int, Bounds(1, MOST_BYTES), Says(7)]


# Of an open order of the company that had the machine before, factory and author are left out.
ORDER: Final = Shown(OrderVersion, "OrderResponse", lacks=frozenset({"factoryId", "changedBy"}))
ORDERS: Final = PageOf(ORDER, "OrdersResponse", "A page of orders; a missing cursor is the end.")
READINGS: Final = PageOf(ReadingsVersion, "AllReadingsResponse", "A page of readings; a missing cursor is the end.")
ATTACHMENT: Final = Shown(AttachmentVersion, "AttachmentResponse", more={"isMissing": NotRequired[Literal[True]]})
ATTACHMENTS: Final = PageOf(ATTACHMENT, "AttachmentsResponse", "A page of attachments; a missing cursor is the end.")

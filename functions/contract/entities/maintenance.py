"""Orders of maintenance, their attachments, and their entities."""

from typing import Final, Literal, TypedDict

from andon.runtime.marks import Annotated, Bounds, NotRequired, Says

OrderStatus = Literal["planned", "started", "finished"]
Result = Literal["done", "partly", "skipped"]
ContentType = Literal["image/jpeg", "image/png", "image/webp", "application/pdf"]

LONGEST_MINUTES: Final = 30 * 24 * 60


class Planned(TypedDict):
    """Factory and day that an order is planned for."""

    factoryId: str
    plannedFor: str


class Plan(TypedDict):
    """How an order is planned, its day aside."""

    minutes: NotRequired[Annotated[int, Bounds(1, LONGEST_MINUTES), Says(45)]]


class OrderContent(Planned, Plan):
    """The content of a version of an order.

    minutes: how long it is expected to take. readingsNumber: of what was measured at the end, in the log of its
    readings.
    """

    status: OrderStatus
    startedAt: NotRequired[str]
    finishedAt: NotRequired[str]
    result: NotRequired[Result]
    readingsNumber: NotRequired[int]


class OrderVersionKey(TypedDict):
    """The key of a version of an order; `date` is the day (UTC) that it was first planned for."""

    equipmentId: str
    date: str
    kind: str
    version: int


class MaintenanceOrder(OrderVersionKey, OrderContent):
    """A version of an order."""


class OrderEntity(MaintenanceOrder):
    """`order`: maintenance of a machine as of `version`; days are UTC. `before`: of the version before."""

    before: NotRequired[Planned]


class AttachmentEntity(TypedDict):
    """`attachment`: a photo or a document of an order, by the SHA-256 of its bytes; `bytes` is how many they are."""

    equipmentId: str
    date: str
    kind: str
    sha256: str
    contentType: ContentType
    bytes: int

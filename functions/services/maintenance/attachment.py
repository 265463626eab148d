"""An attachment: an order's reference to a photo or a document, which is kept once for all of its orders.

Attachments are of what was found and done: an order has some once it was started. From then on it does not move, so
that they expire with it.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from andon.content.contents import OBJECT, Content
from andon.content.keep import READ_SECONDS, AwaitedUpload, Kept, keep, lost_among, to_read, to_upload
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.events.fact import fact_of_row
from andon.runtime import times
from andon.runtime.errors import Conflict
from andon.runtime.json_types import JsonObject, members_of
from andon.runtime.marks import Named
from andon.versions.optimistic_lock import Command
from contract.entities.maintenance import AttachmentEntity
from contract.orders import ATTACHED
from services.maintenance import order
from services.maintenance.contents import CONTENTS
from services.maintenance.order_id import OrderId
from services.maintenance.readings import Lasting
from services.maintenance.tables import KEYS, partition_of

DISCRIMINATOR: Final = "attachment"
KIND: Final = "attachment"

NOT_STARTED: Final = "It was not started: attachments are of what was found and done."


class AttachmentRow(AttachmentEntity):
    """A reference to a content, its key aside; `timestamp` is epoch milliseconds, `object` the name in the bucket."""

    discriminator: str
    timestamp: int
    changedBy: str  # noqa: N815  the contract's name
    object: str
    isMissing: NotRequired[Literal[True]]  # noqa: N815  never stored, see `marked`


class AttachmentVersion(AttachmentEntity):
    """An attachment; its bytes can be read at `url`, without a token, until `urlExpiresAt`.

    isMissing: they are lost, and `url` answers 404; who attaches them again is asked to upload them.
    """

    addedAt: str  # noqa: N815
    addedBy: str  # noqa: N815
    url: str
    urlExpiresAt: str  # noqa: N815


class UploadRequest(TypedDict):
    """The request that uploads the bytes: with these headers and no others of its own, begun before `expiresAt`."""

    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expiresAt: str


class UploadResponse(TypedDict):
    """The bytes are not there yet: upload them, then send the same request again."""

    upload: Annotated[UploadRequest, Named("UploadRequest", is_said=False)]


def attach(of: OrderId, content: Content, command: Command) -> Kept | AwaitedUpload:
    """Attach a content to an order, if it was uploaded; again, it is the same.

    Raises:
        NotFound: there is no such order.
        Conflict: it was not started; or what has the digest has another size, or is attached as another type.
        Contended: others wrote about the content at each attempt.

    """
    row = order.get(of, now_ms=command.now_ms)
    if row["status"] == "planned":
        raise Conflict(NOT_STARTED)
    reference = {
        **KEYS.of(partition_of(of.equipment_id), sort_key(KIND, of.date, of.kind, content.sha256)),
        "discriminator": DISCRIMINATOR,
        "equipmentId": of.equipment_id,
        "date": of.date,
        "kind": of.kind,
        "timestamp": command.now_ms,
        "changedBy": command.actor,
        ttl.ATTRIBUTE: Lasting.of(row).shown_until,
    }
    return keep(CONTENTS, content, reference, now_ms=command.now_ms)


def attachments_of(of: OrderId) -> KeyQuery:
    """Return the query of an order's attachments, by their digests."""
    sort = BeginsWith(prefix(KIND, of.date, of.kind))
    return KeyQuery(keys=KEYS, partition=partition_of(of.equipment_id), sort=sort, forward=True)


def to_entity(row: AttachmentRow) -> AttachmentEntity:
    """Return the entity of a reference."""
    return members_of(AttachmentEntity, row)


def to_response(row: AttachmentRow, *, now_ms: int) -> JsonObject:
    """Return a reference for a response, with an address to read its object at; `isMissing`: that is lost."""
    shown: AttachmentVersion = {
        **to_entity(row),
        "addedAt": times.to_utc(row["timestamp"]),
        "addedBy": row["changedBy"],
        "url": to_read(CONTENTS, row[OBJECT], row["contentType"], now_ms=now_ms),
        "urlExpiresAt": times.to_utc(now_ms + READ_SECONDS * 1000),
    }
    return {**shown, "isMissing": True} if "isMissing" in row else {**shown}


def marked(rows: Sequence[Item]) -> list[Item]:
    """Return references, marked if their objects are lost: to attach such a content again asks for an upload."""
    lost = lost_among(CONTENTS, rows)
    return [{**row, "isMissing": True} if row[OBJECT] in lost else row for row in rows]


def upload_of(awaited: AwaitedUpload, content: Content, *, now_ms: int) -> UploadResponse:
    """Return the request with which a client uploads a content, for a response."""
    upload = to_upload(CONTENTS, awaited.name, content, now_ms=now_ms)
    expires_at = times.to_utc(upload.expires_ms)
    return {"upload": {"method": "PUT", "url": upload.url, "headers": upload.headers, "expiresAt": expires_at}}


fact_of: Final = fact_of_row(ATTACHED, "attachment", partition="equipmentId", entity_of=to_entity, once=True)

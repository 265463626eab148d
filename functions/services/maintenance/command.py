"""HTTP -> maintenance table."""

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from andon.content.contents import Content
from andon.content.keep import AwaitedUpload
from andon.http.http_api import HttpApi
from andon.http.parameters import IfMatch
from andon.http.places import ELSEWHERE
from andon.http.response import Response, respond, responses, responses_of_write
from andon.runtime.errors import Forbidden
from andon.versions.optimistic_lock import Saved
from contract import after
from contract.groups import MAINTAINERS, PLANNERS
from contract.orders import SOURCE
from contract.parameters import EquipmentId
from services.maintenance import attachment, order, readings
from services.maintenance.api import API as INSTRUCTIONS_API
from services.maintenance.api import OF_MACHINE
from services.maintenance.attachment import UploadResponse
from services.maintenance.bodies import (
    ATTACHMENT,
    ORDER,
    AttachBody,
    Digest,
    FinishBody,
    OrderDate,
    OrderKind,
    PlanBody,
    ReadingsBody,
)
from services.maintenance.order import OrderRow
from services.maintenance.order_id import OrderId
from services.maintenance.place import owner_in, place_of
from services.maintenance.readings import ReadingsVersion

if TYPE_CHECKING:
    from contract.entities.maintenance import Planned
    from services.maintenance.attachment import AttachmentRow

app = HttpApi()
handler = app.handler

INSTRUCTIONS_API.writes(app)


@app.serves(
    "PUT /equipment/{id}/maintenance/{date}/{kind}",
    groups=PLANNERS,
    at=OF_MACHINE,
    responses=responses_of_write(ORDER, 201, 200, 404, 409, 412, 428),
)
def put_order(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, body: PlanBody, if_match: IfMatch = None
) -> Response:
    """Plan maintenance, or move it to another day: its id keeps the day that it was first planned for.

    The body is the whole plan: without `plannedFor` it is for the day in the id, and without `minutes` it has none.
    """
    command, place = app.command(if_match, body), place_of(equipment_id)
    planned = _shown(OrderId(equipment_id, date, kind))
    at: Planned = {"factoryId": place["factoryId"], "plannedFor": body.get("plannedFor", date)}
    return _saved(order.plan(planned, body, at=at, command=command))


@app.serves(
    "POST /equipment/{id}/maintenance/{date}/{kind}/start",
    groups=MAINTAINERS,
    at=OF_MACHINE,
    responses=responses_of_write(ORDER, 200, 404, 409),
)
def post_start(equipment_id: EquipmentId, date: OrderDate, kind: OrderKind) -> Response:
    """Start an order. A repeated request returns it as it is."""
    return _saved(order.start(_shown(OrderId(equipment_id, date, kind)), app.command(None, {})))


@app.serves(
    "POST /equipment/{id}/maintenance/{date}/{kind}/finish",
    groups=MAINTAINERS,
    at=OF_MACHINE,
    responses=responses_of_write(ORDER, 200, 404, 409),
)
def post_finish(equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, body: FinishBody) -> Response:
    """Finish an order, or skip it. A repeated request with the same result and readings returns it as it is.

    Readings are logged first, as `POST …/readings` does: `readingsNumber` of the order is theirs.
    """
    command = app.command(None, body)
    finished = _shown(OrderId(equipment_id, date, kind))
    return _saved(order.finish(finished, body["result"], body.get("readings"), command))


@app.serves(
    "POST /equipment/{id}/maintenance/{date}/{kind}/readings",
    groups=MAINTAINERS,
    at=OF_MACHINE,
    responses=responses(ReadingsVersion, 201, 404, 409),
)
def post_readings(equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, body: ReadingsBody) -> Response:
    """Log the readings of an order that was started, under the next number.

    No number is given out twice. A request that is sent again is counted again. A crash leaves a gap: a number is
    counted, and its readings are missing in the log.
    """
    command = app.command(None, body)
    taken = order.measure(_shown(OrderId(equipment_id, date, kind)), body["readings"], command)
    return respond(HTTPStatus.CREATED, readings.to_response(taken))


@app.serves(
    "PUT /equipment/{id}/maintenance/{date}/{kind}/attachments/{sha256}",
    groups=MAINTAINERS,
    at=OF_MACHINE,
    responses=responses(UploadResponse, 202) | responses(ATTACHMENT, 201, 200, 404, 409),
)
def put_attachment(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, sha256: Digest, body: AttachBody
) -> Response:
    """Attach a photo or a document to an order that was started, by the digest of its bytes.

    202 says how to upload them first: S3 itself refuses other bytes. What the company has there already, of whichever
    order, is not uploaded again.
    """
    command = app.command(None, body)
    owner = owner_in(place_of(equipment_id))
    content = Content(sha256, body["contentType"], body["bytes"], owner)
    made = attachment.attach(_shown(OrderId(equipment_id, date, kind)), content, command)
    if isinstance(made, AwaitedUpload):
        return respond(HTTPStatus.ACCEPTED, attachment.upload_of(made, content, now_ms=command.now_ms))
    status = HTTPStatus.CREATED if made.created else HTTPStatus.OK
    return respond(status, attachment.to_response(cast("AttachmentRow", made.row), now_ms=command.now_ms))


def _saved(saved: Saved[OrderRow]) -> Response:
    token = after.of_row(saved.row, order.fact_of, source=SOURCE)
    return app.saved(saved, to_response=partial(order.to_shown, stay=app.stay), after=token)


def _shown(asked: OrderId) -> OrderId:
    """Return the id of an order that the caller may see, or that is none.

    Raises:
        Forbidden: it ended when another company had the machine.

    """
    if app.stay.since:  # few machines change hands
        row = order.versions_of(asked).current()
        if row is not None and not app.shows(row, order.time_of):
            raise Forbidden(ELSEWHERE)
    return asked

"""maintenance table -> HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Any

from andon.dynamodb.client import Rows
from andon.http.http_api import About, HttpApi
from andon.http.page import DEFAULT_LIMIT, read_rows
from andon.http.parameters import Cursor, IfNoneMatch, Limit
from andon.http.response import Response, respond, responses
from andon.runtime import clock
from andon.versions.resource import time_of
from contract.groups import READERS
from contract.parameters import EquipmentId
from services.maintenance import attachment, order, readings
from services.maintenance.api import API as INSTRUCTIONS_API
from services.maintenance.api import OF_MACHINE
from services.maintenance.bodies import ATTACHMENTS, ORDER, ORDERS, READINGS, OrderDate, OrderKind
from services.maintenance.order_id import OrderId
from services.maintenance.tables import HISTORY_TABLE, TABLE

app = HttpApi()
handler = app.handler

INSTRUCTIONS_API.reads(app)


@app.serves("GET /equipment/{id}/maintenance", groups=READERS, at=OF_MACHINE, responses=responses(ORDERS, 200))
def get_orders(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the orders of a machine by the days in their ids, the latest first."""
    query, shown = order.orders_of(equipment_id), partial(order.to_shown, stay=app.stay)
    return app.page(TABLE, query, to_response=shown, limit=limit, cursor=cursor, about=About(order.time_of))


@app.serves(
    "GET /equipment/{id}/maintenance/{date}/{kind}",
    groups=READERS,
    at=OF_MACHINE,
    responses=responses(ORDER, 200, 304, 404),
)
def get_order(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, if_none_match: IfNoneMatch = None
) -> Response:
    """Return an order as it is now."""
    row = order.get(OrderId(equipment_id, date, kind), now_ms=clock.now_ms())
    app.require_own(row, order.time_of, otherwise=order.MISSING)
    return app.found(row, to_response=partial(order.to_shown, stay=app.stay), if_none_match=if_none_match)


@app.serves(
    "GET /equipment/{id}/maintenance/{date}/{kind}/attachments",
    groups=READERS,
    at=OF_MACHINE,
    responses=responses(ATTACHMENTS, 200),
)
def get_attachments(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List the attachments of an order by their digests, each with an address that can be read for five minutes."""
    query = attachment.attachments_of(OrderId(equipment_id, date, kind))

    def read(*about: Any, **paging: Any) -> Rows:  # noqa: ANN401  see `read_rows`
        rows = read_rows(*about, **paging)
        return rows._replace(items=attachment.marked([row for row in rows.items if app.shows(row, time_of)]))

    shown = partial(attachment.to_response, now_ms=clock.now_ms())
    page = app.read_page(TABLE, query, to_response=shown, limit=limit, cursor=cursor, read=read)
    return respond(HTTPStatus.OK, page)


@app.serves(
    "GET /equipment/{id}/maintenance/{date}/{kind}/versions",
    groups=READERS,
    at=OF_MACHINE,
    responses=responses(ORDERS, 200),
)
def get_order_versions(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List every version of an order, newest first."""
    asked = OrderId(equipment_id, date, kind)

    def read(*about: Any, **paging: Any) -> Rows:  # noqa: ANN401  see `read_rows`
        rows = read_rows(*about, **paging)
        seen = order.seen_by(asked, rows.items, now_ms=clock.now_ms())
        return rows._replace(items=[row for row in seen if app.shows(row, time_of)])

    query, shown = order.revisions_of(asked), partial(order.to_shown, stay=app.stay)
    page = app.read_page(HISTORY_TABLE, query, to_response=shown, limit=limit, cursor=cursor, read=read)
    return respond(HTTPStatus.OK, page)


@app.serves(
    "GET /equipment/{id}/maintenance/{date}/{kind}/readings",
    groups=READERS,
    at=OF_MACHINE,
    responses=responses(READINGS, 200),
)
def get_readings(
    equipment_id: EquipmentId, date: OrderDate, kind: OrderKind, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Response:
    """List the readings of an order, the latest first. A number may be missing: it was counted, and a crash came."""
    query = readings.readings_of(OrderId(equipment_id, date, kind))
    return app.page(
        TABLE, query, to_response=readings.to_response, limit=limit, cursor=cursor, about=About(readings.time_of)
    )

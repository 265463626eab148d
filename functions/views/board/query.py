"""board view -> HTTP."""

from functools import partial
from http import HTTPStatus

from andon.http.after import NOT_YET, awaited, read_row
from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION, OfPlace
from andon.http.page import DEFAULT_LIMIT, ReadRows, read_rows
from andon.http.parameters import After, Cursor, IfNoneMatch, Limit
from andon.http.response import Response, respond, respond_unless_known, responses
from andon.live.connection import connect, root
from andon.runtime import clock
from andon.views.seen import Awaited, Writes
from contract.groups import READERS, STANDING_READERS
from contract.parameters import Company, EquipmentId, LocationFilter
from contract.stations import require_own
from views.board.access_patterns import equipment_in, parts_of
from views.board.places import is_all_of, is_shown, require_shown
from views.board.responses import BOARD, STANDING, ChangesResponse
from views.board.standing import require_equipment, to_response, without_people
from views.board.topics import filter_of
from views.board.view import ANCHOR, KEYS, ON, TABLE

app = HttpApi()
handler = app.handler

WRITES = Writes(table=TABLE, on=ON, days=ANCHOR.skeleton_days)


@app.serves("GET /board/{company}", groups=READERS, at=IN_FUNCTION, responses=responses(BOARD, 200, 304, 409) | NOT_YET)
def get_board(
    company: Company,
    location: LocationFilter = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
    after: After = None,
) -> Response:
    """List how the equipment of a company, or of a place in it, stands, by location.

    Who is limited to factories or lines gets the equipment there.
    """
    query, write, read = equipment_in(company, location), _awaited(after), _reader_of(company)
    page = app.read_page(TABLE, query, to_response=to_response, limit=limit, cursor=cursor, after=write, read=read)
    return respond_unless_known(page, if_none_match=if_none_match)


@app.serves(
    "GET /board/{company}/changes", groups=READERS, at=OfPlace("company"), responses=responses(ChangesResponse, 200)
)
def get_changes(company: Company, location: LocationFilter = None) -> Response:
    """Return how to subscribe to changes of that list, by MQTT over a WebSocket; the address lasts a minute."""
    connection = connect(filter_of(root(), company, parts_of(location)), now_ms=clock.now_ms())
    body = {"url": connection.url, "topic": connection.topic, "clientId": connection.client_id}
    return respond(HTTPStatus.OK, body, Cache_Control="no-store")


@app.serves(
    "GET /equipment/{id}/board",
    groups=STANDING_READERS,
    at=IN_FUNCTION,
    responses=responses(STANDING, 200, 404) | NOT_YET,
)
def get_standing(equipment_id: EquipmentId, after: After = None) -> Response:
    """Return the standing of a piece of equipment; to a station its own, without people."""
    require_own(app.caller, READERS, equipment_id)
    now_ms, write = clock.now_ms(), _awaited(after, about=equipment_id)
    row = read_row(TABLE, KEYS.of(equipment_id), write, now_ms=now_ms)
    require_shown(app.caller.places, row)
    standing = to_response(require_equipment(row, now_ms=now_ms))
    return respond(HTTPStatus.OK, standing if app.caller.groups & READERS else without_people(standing))


def _reader_of(company: str) -> ReadRows:
    """Return the reader of a company's rows, as far as the caller may see them."""
    places = app.caller.places
    if is_all_of(places, company):
        return read_rows
    from views.board.factories import rows_at  # noqa: PLC0415  callers who are everywhere need no such import

    return rows_at(places)


def _awaited(token: str | None, *, about: str | None = None) -> Awaited | None:
    """Return the write of a token; for a caller with limited places, a row elsewhere does not exist."""
    write, places = awaited(token, WRITES, about=about), app.caller.places
    if write is None or places.is_everywhere:
        return write
    return write.among(partial(is_shown, places))

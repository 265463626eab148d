"""notify table, and contacts -> HTTP."""

from http import HTTPStatus
from typing import Final

from andon.http.derived import PageOf
from andon.http.etag import etag_of
from andon.http.http_api import About, HttpApi
from andon.http.limits import BY_ROWS, IN_FUNCTION, OfSubject
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond, responses
from andon.runtime.errors import NotFound
from contract.groups import READERS
from contract.parameters import CallId, EquipmentId, PersonId
from services.notify import contact, telling
from services.notify.contact import ContactVersion
from services.notify.contact_places import is_own, require_shown
from services.notify.tables import TABLE, partition_of
from services.notify.telling import TellingResponse

app = HttpApi()
handler = app.handler


TELLINGS: Final = PageOf(TellingResponse, "TellingsPage", "A page of them, newest first; a missing cursor is the end.")


@app.serves(
    "GET /equipment/{id}/tellings", groups=READERS, at=OfSubject("equipment_id"), responses=responses(TELLINGS, 200)
)
def get_tellings(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the tellings about a piece of equipment, with no address; newest first."""
    query = telling.of_equipment(equipment_id)
    return app.page(
        TABLE, query, to_response=telling.to_response, limit=limit, cursor=cursor, about=About(telling.time_of)
    )


@app.serves("GET /calls/{id}/tellings", groups=READERS, at=BY_ROWS, responses=responses(TELLINGS, 200, 409))
def get_tellings_of_call(call_id: CallId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the tellings of a call, with no address; newest first."""
    return app.page(
        TABLE,
        telling.of_call(call_id),
        to_response=telling.to_response,
        limit=limit,
        cursor=cursor,
        about=About(telling.time_of, telling.equipment_in),
    )


@app.serves("GET /people/{id}/tellings", groups=READERS, at=IN_FUNCTION, responses=responses(TELLINGS, 200))
def get_tellings_of_person(person_id: PersonId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List one's own messages, newest first; a supervisor and an admin of all places see those of others."""
    require_shown(app.caller, person_id)
    query = telling.of_person(person_id)
    return app.page(TABLE, query, to_response=telling.to_response, limit=limit, cursor=cursor)


@app.serves("GET /people/{id}/contact", groups=READERS, at=IN_FUNCTION, responses=responses(ContactVersion, 200, 404))
def get_contact(person_id: PersonId) -> Response:
    """Return how one is reached oneself; an admin and a supervisor see of others that there is an address, masked."""
    require_shown(app.caller, person_id)
    reach = contact.reach_of(partition_of(person_id))
    if reach is None:
        raise NotFound("Nobody is reached at this id.")
    shown = contact.to_response(reach, is_own=is_own(app.caller, person_id))
    return respond(HTTPStatus.OK, shown, ETag=etag_of(shown["version"]), Cache_Control="no-store")

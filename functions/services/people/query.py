"""people table -> HTTP."""

from http import HTTPStatus

from andon.http.etag import etag_of
from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION, OfPlace
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, respond
from andon.runtime.errors import NotFound
from contract.groups import READERS
from contract.parameters import FactoryId, PersonId
from services.people import person
from services.people.bodies import PEOPLE, PEOPLE_PAGE, PERSON, PersonIds
from services.people.places import is_shown
from services.people.tables import TABLE, key_of

app = HttpApi(no_store=True)
handler = app.handler


@app.serves("GET /people/{id}", groups=READERS, at=IN_FUNCTION, responses=responses(PERSON, 200, 404))
def get_person(person_id: PersonId) -> Response:
    """Return a person; of one who was erased, that alone. Who is elsewhere is not known."""
    row = person.versions_of(person_id).current()
    if row is None or not is_shown(app.caller.places, row):
        raise NotFound("Nobody of this id is known.")
    return respond(HTTPStatus.OK, person.to_response(row), ETag=etag_of(row["version"]))


@app.serves("GET /people", groups=READERS, at=IN_FUNCTION, responses=responses(PEOPLE, 200))
def get_people(ids: PersonIds) -> Response:
    """Return up to 100 people, in the order of their ids in the request; nothing of the unknown or elsewhere."""
    rows = TABLE.get_many([key_of(person_id) for person_id in dict.fromkeys(ids.split(","))])
    known = [person.row_of(row) for row in rows if row and is_shown(app.caller.places, row)]
    return respond(HTTPStatus.OK, {"items": [person.to_response(row) for row in known]})


@app.serves(
    "GET /factories/{factoryId}/people", groups=READERS, at=OfPlace("factory_id"), responses=responses(PEOPLE_PAGE, 200)
)
def get_people_of_factory(factory_id: FactoryId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the people of a factory by their ids, without those who were erased."""
    return app.page(TABLE, person.in_factory(factory_id), to_response=person.to_response, limit=limit, cursor=cursor)

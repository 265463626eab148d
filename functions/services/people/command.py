"""HTTP -> people table, and erasures."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.openapi import responses
from andon.http.parameters import IfMatch
from andon.http.response import Response, respond
from andon.versions.versioned_write import save
from contract.groups import ERASERS, PEOPLE_KEEPERS
from contract.parameters import PersonId
from services.people import person
from services.people.bodies import PERSON
from services.people.erase import erase
from services.people.person import Person
from services.people.places import guard_of

app = HttpApi(no_store=True)
handler = app.handler


@app.serves(
    "PUT /people/{id}",
    groups=PEOPLE_KEEPERS,
    at=IN_FUNCTION,
    responses=responses(PERSON, 201, 200, 409, 412, 428),
)
def put_person(person_id: PersonId, body: Person, if_match: IfMatch = None) -> Response:
    """Write down a person's name and factory; a change needs If-Match with the current version.

    An id that was erased is not given to anybody again: 409.
    """
    command, guard = app.command(if_match, body), guard_of(app.caller.places)
    draft = person.write(person_id, body, command, guard)
    return app.saved(save(person.versions_of(person_id), draft), to_response=person.to_response)


@app.serves("DELETE /people/{id}", groups=ERASERS, at=IN_FUNCTION, responses=responses(None, 204))
def delete_person(person_id: PersonId) -> Response:
    """Erase a person: the name is gone for good, the id stays. To do it again changes nothing.

    An id of which no name is known is erased, too: it gets none any more, and no rule assigns it.
    """
    erase(person_id, actor=app.caller.subject, places=app.caller.places)
    return respond(HTTPStatus.NO_CONTENT)

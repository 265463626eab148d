"""HTTP -> contacts table."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.parameters import IfMatch
from andon.http.response import Response, respond, responses
from andon.runtime import clock
from andon.runtime.json_types import all_members_of
from andon.versions.versioned_write import save
from contract.groups import READERS
from contract.parameters import PersonId
from services.notify import contact, contact_code
from services.notify.contact import ContactVersion
from services.notify.contact_bodies import ChannelName, CodeBody, ContactBody
from services.notify.contact_places import require_own
from services.notify.tables import partition_of

app = HttpApi(no_store=True)
handler = app.handler


@app.serves(
    "PUT /people/{id}/contact",
    groups=READERS,
    at=IN_FUNCTION,
    responses=responses(ContactVersion, 201, 200, 409, 412, 428),
)
def put_contact(person_id: PersonId, body: ContactBody, if_match: IfMatch = None) -> Response:
    """Write down how one is reached; an admin does so for others. An address counts once a code came back."""
    require_own(app.caller, person_id)
    content = {**all_members_of(ContactBody, body)}
    saved = save(contact.versions_of(person_id), contact.write(content, app.command(if_match, body)))
    reach = contact.reach_of(partition_of(person_id)) or {"contact": saved.row, "verified": {}}
    return app.saved(saved, to_response=lambda row: contact.to_response({**reach, "contact": row}, is_own=True))


@app.serves(
    "POST /people/{id}/contact/{channel}/code", groups=READERS, at=IN_FUNCTION, responses=responses(None, 202, 404, 429)
)
def post_code(person_id: PersonId, channel: ChannelName) -> Response:
    """Send a code to the address of a channel, by that channel alone."""
    require_own(app.caller, person_id)
    code = contact_code.new_code()
    contact_code.ask(person_id, channel, code, actor=app.caller.subject, now_ms=clock.now_ms())
    return respond(HTTPStatus.ACCEPTED)


@app.serves(
    "POST /people/{id}/contact/{channel}/test", groups=READERS, at=IN_FUNCTION, responses=responses(None, 202, 404, 429)
)
def post_test(person_id: PersonId, channel: ChannelName) -> Response:
    """Send a test to the address of a channel, if it was verified."""
    require_own(app.caller, person_id)
    contact_code.ask_test(person_id, channel, actor=app.caller.subject, now_ms=clock.now_ms())
    return respond(HTTPStatus.ACCEPTED)


@app.serves(
    "PUT /people/{id}/contact/{channel}/verified",
    groups=READERS,
    at=IN_FUNCTION,
    responses=responses(None, 204, 404, 410),
)
def put_verified(person_id: PersonId, channel: ChannelName, body: CodeBody) -> Response:
    """Say the code that came: from here on messages go to this address. A code lives for ten minutes and five tries."""
    require_own(app.caller, person_id)
    contact_code.verify(person_id, channel, body["code"], now_ms=clock.now_ms())
    return respond(HTTPStatus.NO_CONTENT)

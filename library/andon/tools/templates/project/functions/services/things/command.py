"""HTTP -> things table."""

from typing import Final

from andon.http.http_api import HttpApi
from andon.http.openapi import responses_of_write
from andon.http.parameters import IfMatch
from andon.http.response import Response
from andon.project import project
from andon.versions.versioned_write import save
from services.things import thing
from services.things.bodies import ThingBody, ThingId, ThingResponse

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

app = HttpApi()
handler = app.handler


@app.serves("PUT /things/{id}", groups=ANYBODY, responses=responses_of_write(ThingResponse, 201, 200, 409, 412, 428))
def put_thing(thing_id: ThingId, body: ThingBody, if_match: IfMatch = None) -> Response:
    """Say where it is; a change needs If-Match with the current version."""
    draft = thing.move(thing_id, body.place, app.command(if_match, body.model_dump()))
    saved = save(thing.versions_of(thing_id), draft)
    return app.saved(saved, to_response=thing.to_response, after=thing.token_of(saved.row))

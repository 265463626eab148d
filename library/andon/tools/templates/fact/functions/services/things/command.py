"""HTTP -> things table."""

from andon.http.http_api import HttpApi
from andon.http.openapi import responses_of_write
from andon.http.parameters import IfMatch
from andon.http.response import Response
from andon.project import project
from andon.versions.versioned_write import save
from services.things import inspection
from services.things.inspection_bodies import InspectionBody, InspectionOf, InspectionResponse

app = HttpApi()
handler = app.handler


@app.serves(
    "PUT /things/{id}/inspection",
    groups=frozenset(project().groups.all) - project().groups.reporting,
    responses=responses_of_write(InspectionResponse, 201, 200, 409, 412, 428),
)
def put_inspection(thing_id: InspectionOf, body: InspectionBody, if_match: IfMatch = None) -> Response:
    """Record an inspection; a change needs If-Match with the current version."""
    draft = inspection.record(thing_id, body.note, app.command(if_match, body.model_dump()))
    saved = save(inspection.versions_of(thing_id), draft)
    return app.saved(saved, to_response=inspection.to_response, after=inspection.token_of(saved.row))

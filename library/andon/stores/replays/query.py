"""replays -> HTTP."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.stores.replays import job
from andon.stores.replays.job import ReplayResponse
from andon.stores.replays.parameters import ReplayId

app = HttpApi()
handler = app.handler


@app.serves("GET /replays/{id}", groups=project().groups.admins, responses=responses(ReplayResponse, 200, 404))
def get_replay(replay_id: ReplayId) -> Response:
    """Return how far a replay is."""
    row = job.require_replay(job.find(replay_id))
    return respond(HTTPStatus.OK, job.to_response(row, job.progress(replay_id)))

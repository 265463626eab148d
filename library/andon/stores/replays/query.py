"""replays -> HTTP."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.response import Response, respond
from andon.project import project
from andon.stores.replays import jobs, replay
from andon.stores.replays.parameters import ReplayId
from andon.stores.replays.replay import ReplayResponse

app = HttpApi()
handler = app.handler


@app.serves("GET /replays/{id}", groups=project().groups.admins, responses=responses(ReplayResponse, 200, 404))
def get_replay(replay_id: ReplayId) -> Response:
    """Return how far a replay is."""
    row = replay.require_replay(jobs.find(replay_id))
    return respond(HTTPStatus.OK, replay.to_response(row, jobs.progress(replay_id)))

"""HTTP -> replays."""

from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.runtime import clock
from andon.stores.replays import job
from andon.stores.replays.job import CANCELLED, PAUSED, RUNNING, Progress, ReplayResponse, State
from andon.stores.replays.parameters import ReplayBody, ReplayId

app = HttpApi()
handler = app.handler


@app.serves("POST /replays", groups=project().groups.admins, responses=responses(ReplayResponse, 202, 409))
def post_replay(body: ReplayBody) -> Response:
    """Send the lake's events to one view again, on its own queue; nothing goes over the bus.

    A row that has seen an event drops it: only an empty table shows what a view makes of the lake.
    """
    view, now_ms = job.require_view(body["view"], job.views()), clock.now_ms()
    first, last = body.get("from"), body.get("to")
    planned = job.plan(view, first, last, body["rate"], actor=app.caller.subject, now_ms=now_ms)
    job.admit(planned, now_ms=now_ms)
    row = job.begin(planned)
    location = f"/replays/{row['id']}"
    return respond(HTTPStatus.ACCEPTED, job.to_response(row, Progress()), Location=location)


@app.serves(
    "POST /replays/{id}/pause", groups=project().groups.admins, responses=responses(ReplayResponse, 200, 404, 409)
)
def pause_replay(replay_id: ReplayId) -> Response:
    """Stop sending, until somebody resumes it; events on their way come for another few seconds."""
    return _stopped(replay_id, PAUSED)


@app.serves(
    "POST /replays/{id}/resume", groups=project().groups.admins, responses=responses(ReplayResponse, 200, 404, 409)
)
def resume_replay(replay_id: ReplayId) -> Response:
    """Go on with the undone work, also of a replay that somehow came to a halt."""
    row, now_ms = job.require_replay(job.find(replay_id)), clock.now_ms()
    job.admit(job.require_resumable(row), now_ms=now_ms)
    row = job.move(row, RUNNING, now_ms=now_ms)
    job.go_on(row)
    return respond(HTTPStatus.OK, job.to_response(row, job.progress(replay_id)))


@app.serves(
    "POST /replays/{id}/cancel", groups=project().groups.admins, responses=responses(ReplayResponse, 200, 404, 409)
)
def cancel_replay(replay_id: ReplayId) -> Response:
    """Stop sending, for good. The view keeps the events that it has got."""
    return _stopped(replay_id, CANCELLED)


def _stopped(replay_id: str, state: State) -> Response:
    """Return a replay that is paused or cancelled; one that is done stays done."""
    row, progress = job.require_replay(job.find(replay_id)), job.progress(replay_id)
    if not job.is_whole(row, progress):
        row = job.move(row, state, now_ms=clock.now_ms())
    return respond(HTTPStatus.OK, job.to_response(row, progress))

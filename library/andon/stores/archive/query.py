"""archive -> HTTP."""

from collections.abc import Callable
from http import HTTPStatus

from andon.http.http_api import HttpApi
from andon.http.limits import OfSubject
from andon.http.openapi import responses
from andon.http.page import DEFAULT_LIMIT, decode_texts, wrong_cursor
from andon.http.parameters import Beginning, Cursor, End, Limit
from andon.http.response import Response, respond
from andon.project import Actors, project
from andon.runtime import times
from andon.stores.archive import jobs, rehydration
from andon.stores.archive.pages import Period, Position, read_events
from andon.stores.archive.parameters import Subject, actor_of
from andon.stores.archive.responses import EVENTS, Accept, JobId
from andon.stores.archive.store import KINDS, SUBJECTS
from andon.stores.archive.to_response import page_response

REVIEWERS = project().groups.reviewers

app = HttpApi()
handler = app.handler


def _events_of(kind: Actors) -> Callable[..., Response]:
    Actor = actor_of(kind)  # noqa: N806  a type

    def get_events(
        actor: Actor,  # type: ignore[valid-type]
        first: Beginning,
        last: End,
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = None,
        accept: Accept = None,
    ) -> Response:
        period = Period.of(first, last)._replace(since=app.stay.since)
        page = read_events(kind, str(actor), period, limit=limit, start=_position(cursor))
        return page_response(page, scope=app.scope, limit=limit, accept=accept)

    get_events.__name__ = f"get_events_of_{kind.one}"
    get_events.__doc__ = (
        f"{kind.lists}\n\nThe times are those at which the bus took the events. The archive is up to an hour behind."
    )
    return get_events


for _kind in KINDS:
    _route = f"GET /archive/{_kind.name}/{{{_kind.parameter}}}"
    # Only of subjects it is known where they are: a person may have been everywhere.
    _at = OfSubject("actor") if _kind is SUBJECTS else None
    app.serves(_route, groups=REVIEWERS, at=_at, responses=responses(EVENTS, 200))(_events_of(_kind))


@app.serves(
    f"GET /archive/{SUBJECTS.name}/{{{SUBJECTS.parameter}}}/rehydrations/{{job}}",
    groups=REVIEWERS,
    at=OfSubject("subject"),
    responses=responses(rehydration.RehydrationResponse, 200, 404),
)
def get_rehydration(subject: Subject, job_id: JobId) -> Response:
    """Return how far a rehydration is."""
    job = rehydration.require_job(jobs.find(job_id), subject)
    return respond(HTTPStatus.OK, rehydration.to_response(job, jobs.done_of(job)))


def _position(cursor: str | None) -> Position | None:
    if cursor is None:
        return None
    found = decode_texts(cursor, names=frozenset(Position.__annotations__), scope=app.scope)
    try:
        return Position(day=times.date(found["day"]), after=found["after"])
    except ValueError as error:
        raise wrong_cursor() from error

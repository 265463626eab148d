"""archive -> HTTP."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Final
from urllib.parse import quote, urlencode

from pydantic import ConfigDict, Field, StringConstraints

from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.limits import OfSubject
from andon.http.models import ResponseModel
from andon.http.page import DEFAULT_LIMIT, Scope, decode_texts, encode_cursor, wrong_cursor
from andon.http.parameters import Beginning, Cursor, End, Header, Limit, Path
from andon.http.response import CONTENT_TYPE, JSON, Response, respond, responses
from andon.project import Actors, project
from andon.recorded.resend import ID_PATTERN
from andon.runtime import strict_json, times
from andon.runtime.json_types import JsonObject
from andon.stores.archive import rehydration
from andon.stores.archive.pages import EventPage, Period, Position, read_events
from andon.stores.archive.parameters import Subject, actor_of
from andon.stores.archive.store import KINDS, SUBJECTS

# Parameters and responses of the archive's routes.

Accept = Annotated[
    str | None,
    Header(alias="Accept", description="`application/x-ndjson`: an event a line, instead of a list in an object."),
]


_JobId = Annotated[
    str, StringConstraints(pattern=ID_PATTERN), Path(alias="job", description="The `id` of the rehydration.")
]


# No declaration: nobody makes it, it is a line of the lake, with whatever the bus says besides.
class ArchivedEventResponse(ResponseModel):
    """An event as the bus delivered it; `time` is when the bus took it, `detail` the event with its raw images."""

    model_config = ConfigDict(extra="allow")

    id: str
    source: str
    detail_type: Annotated[str, Field(alias="detail-type")]
    time: str
    detail: JsonObject


EVENTS: Final = PageOf(
    ArchivedEventResponse, "ArchivedEventsResponse", "A page of events, oldest first; a missing cursor is the end."
)


# A page of events -> a response, its events byte by byte as the lake has them.

NDJSON: Final = "application/x-ndjson"


def _page_response(page: EventPage, *, scope: Scope, limit: int, accept: str | None) -> Response:
    """Return a list of events, or one event a line; `Link` leads to the next page."""
    cursor = page.behind and encode_cursor(page.behind, partition="", scope=scope)
    headers = {"Link": f'<{_next(scope, limit, cursor)}>; rel="next"'} if cursor else {}
    if accept is not None and NDJSON in accept:
        body = "".join(f"{line}\n" for line in page.lines)
        return Response(int(HTTPStatus.OK), body, {CONTENT_TYPE: NDJSON, **headers})
    more = f',"cursor":{strict_json.dumps(cursor)}' if cursor else ""
    body = f'{{"items":[{",".join(page.lines)}]{more}}}'
    return Response(int(HTTPStatus.OK), body, {CONTENT_TYPE: JSON, **headers})


def _next(scope: Scope, limit: int, cursor: str) -> str:
    path = scope["route"].partition(" ")[2]
    for name, value in scope["path"].items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return f"{path}?{urlencode({**scope['query'], 'limit': limit, 'cursor': cursor})}"


_REVIEWERS = project().groups.reviewers

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
        return _page_response(page, scope=app.scope, limit=limit, accept=accept)

    get_events.__name__ = f"get_events_of_{kind.one}"
    get_events.__doc__ = (
        f"{kind.lists}\n\nThe times are those at which the bus took the events. The archive is up to an hour behind."
    )
    return get_events


for _kind in KINDS:
    _route = f"GET /archive/{_kind.name}/{{{_kind.parameter}}}"
    # Only of subjects it is known where they are: a person may have been everywhere.
    _at = OfSubject("actor") if _kind is SUBJECTS else None
    app.serves(_route, groups=_REVIEWERS, at=_at, responses=responses(EVENTS, 200))(_events_of(_kind))


@app.serves(
    f"GET /archive/{SUBJECTS.name}/{{{SUBJECTS.parameter}}}/rehydrations/{{job}}",
    groups=_REVIEWERS,
    at=OfSubject("subject"),
    responses=responses(rehydration.RehydrationResponse, 200, 404),
)
def get_rehydration(subject: Subject, job_id: _JobId) -> Response:
    """Return how far a rehydration is."""
    job = rehydration.require_job(rehydration.find(job_id), subject)
    return respond(HTTPStatus.OK, rehydration.to_response(job, rehydration.done_of(job)))


def _position(cursor: str | None) -> Position | None:
    if cursor is None:
        return None
    found = decode_texts(cursor, names=frozenset(Position.__annotations__), scope=app.scope)
    try:
        return Position(day=times.date(found["day"]), after=found["after"])
    except ValueError as error:
        raise wrong_cursor() from error

"""HTTP -> rehydrations."""

from http import HTTPStatus
from typing import TypedDict

from andon.http.http_api import HttpApi
from andon.http.limits import OfSubject
from andon.http.response import Response, respond, responses
from andon.http.said import First, Last
from andon.project import project
from andon.runtime import clock
from andon.stores.archive import rehydration
from andon.stores.archive.pages import Period, days_of
from andon.stores.archive.parameters import Subject
from andon.stores.archive.store import SUBJECTS

# Bodies of the archive's requests.

_Between = TypedDict("_Between", {"from": First, "to": Last})


class RehydrationBody(_Between):
    """From when to when: times, or dates, which are whole days of UTC. Both are inclusive."""


app = HttpApi()
handler = app.handler


def post_rehydration(subject: Subject, body: RehydrationBody) -> Response:
    """See `Project.brings_back`."""
    period, now_ms = Period.of(body["from"], body["to"], place="body"), clock.now_ms()
    days = list(days_of(SUBJECTS, first=period.first[:10], last=period.last[:10]))
    job = rehydration.plan(subject, period, days=days, actor=app.caller.subject, now_ms=now_ms)
    rehydration.begin(job)
    return respond(HTTPStatus.ACCEPTED, rehydration.to_response(job, []))


PATH = f"/archive/{SUBJECTS.name}/{{{SUBJECTS.parameter}}}"
post_rehydration.__doc__ = (
    f"{project().brings_back}\n\nIt is what `GET {PATH}` lists between these times. "
    "Nothing is published, and no rule decides again."
).replace("{days}", str(rehydration.REHYDRATED_DAYS))
app.serves(
    f"POST {PATH}/rehydrations",
    groups=project().groups.admins,
    at=OfSubject("subject"),
    responses=responses(rehydration.RehydrationResponse, 202),
)(post_rehydration)

"""HTTP -> rehydrations."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.response import respond
from andon.runtime import clock
from andon.stores.archive import jobs, rehydration
from andon.stores.archive.bodies import RehydrationBody
from andon.stores.archive.days import days_of
from andon.stores.archive.pages import Period
from andon.stores.archive.responses import RehydrationResponse
from andon.stores.archive.store import EQUIPMENT
from contract.groups import ADMINS
from contract.parameters import EquipmentId

app = HttpApi()
handler = app.handler


@app.serves("POST /archive/equipment/{id}/rehydrations", groups=ADMINS, responses=responses(RehydrationResponse, 202))
def post_rehydration(equipment_id: EquipmentId, body: RehydrationBody) -> Response[str]:
    """Bring back what expired of a piece of equipment: logs, reports, and the story of its episodes; for 33 days.

    It is what `GET /archive/equipment/{id}` lists between these times. Nothing is published, and no rule decides again.
    """
    period, now_ms = Period.of(body.first, body.last, place="body"), clock.now_ms()
    days = list(days_of(EQUIPMENT, first=period.first[:10], last=period.last[:10]))
    job = rehydration.plan(equipment_id, period, days=days, actor=app.caller.subject, now_ms=now_ms)
    jobs.begin(job)
    return respond(HTTPStatus.ACCEPTED, rehydration.to_response(job, []))

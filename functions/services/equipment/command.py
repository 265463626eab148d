"""HTTP -> equipment table."""

import os
from http import HTTPStatus

from andon.dynamodb.client import ConditionFailed
from andon.events.publish import try_publish
from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.parameters import Timestamp
from andon.http.response import Response, respond, responses, responses_of_write
from andon.runtime import clock
from andon.runtime.errors import Forbidden
from andon.versions.resource import since_in
from contract import after
from contract.entities.reports import REPORTS_AT_ONCE
from contract.groups import STATE_REPORTERS
from contract.parameters import EquipmentId
from services.equipment import reporting, state, stream_first
from services.equipment import reports as batches
from services.equipment.api import API, OF_AUDITS
from services.equipment.bodies import ACCEPTED, STATE_REPORT, Reports, StateBody
from services.equipment.reporting import Reporter
from services.equipment.tables import TABLE

app = HttpApi()
handler = app.handler

API.writes(app)
OF_AUDITS.writes(app)


@app.serves(
    "POST /states",
    groups=STATE_REPORTERS,
    at=IN_FUNCTION,
    responses=responses(ACCEPTED, 202),
    publishes=(state.STATE_REPORTED, REPORTS_AT_ONCE),
)
def post_states(reports: Reports) -> Response:
    """Report many states, fire and forget: they are published, and not kept under `/states`.

    The id of an event is the digest of its report, so that a report that is sent again is the same event.

    A device reports for itself only, a gateway for the equipment of its own factory; if one report is for another's,
    403 names each such, and nothing is published.
    """
    reporter = Reporter.of(app.caller)
    registrations = batches.registrations_for(reports, reporter)
    events = batches.events_of(reports, reporter, registrations, tags=_tags(), now_ms=clock.now_ms())
    stream_first.require_all_published(try_publish(events, source="equipment"))
    tokens = [after.of_event(event, "state") for event in events]
    return respond(HTTPStatus.ACCEPTED, {"ids": [event.id for event in events], "after": tokens})


@app.serves(
    "PUT /equipment/{id}/states/{timestamp}",
    groups=STATE_REPORTERS,
    at=IN_FUNCTION,
    responses=responses_of_write(STATE_REPORT, 201, 200, 409, 429),
    is_shared=True,  # a device reports every few minutes; whoever reports for many machines does so by POST /states
)
def put_state(equipment_id: EquipmentId, timestamp: Timestamp, body: StateBody) -> Response:
    """Report the state of a piece of equipment at a time; the same again changes nothing.

    A device reports for itself only, a gateway for the equipment of its own factory.
    """
    _require_own(equipment_id, timestamp)
    report = state.entity_of(equipment_id, timestamp, body)
    row = state.report_state(report, actor=app.caller.subject, now_ms=clock.now_ms())
    token = after.of_row(row, state.state_reported, source="equipment")
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        state.require_same(report, failed.row)
        return respond(HTTPStatus.OK, report, x_after=token)
    return respond(HTTPStatus.CREATED, report, x_after=token)


def _require_own(equipment_id: str, timestamp: str) -> None:
    reporter = Reporter.of(app.caller)
    registrations = batches.registrations_of(reporter.registrations_needed([equipment_id]))
    reporting.require_own(reporter, equipment_id, registrations)
    row = registrations.get(equipment_id)
    if row is not None and not reporter.places.is_everywhere and timestamp < since_in(row):
        raise Forbidden(reporting.NOT_YOURS)  # the response would tell what was reported to another company


def _tags() -> dict[str, str]:
    return {
        "stage": os.environ["STAGE"],
        "source": "equipment",
        "functionname": app.lambda_context.function_name,
        "pipeline": "equipment.command",
    }

"""HTTP -> equipment table."""

import os
from http import HTTPStatus

from andon.dynamodb.errors import ConditionFailed
from andon.events.publish import try_publish
from andon.http.http_api import HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.openapi import responses, responses_of_write
from andon.http.parameters import IfMatch, Timestamp
from andon.http.response import Response, respond
from andon.runtime import clock
from andon.runtime.errors import Forbidden, PreconditionRequired
from andon.versions.optimistic_lock import Saved
from andon.versions.resource import since_in, time_of
from andon.versions.versioned_write import save
from contract import after
from contract.groups import AUDITORS, EQUIPMENT_WRITERS, STATE_REPORTERS
from contract.parameters import EquipmentId, Part
from services.equipment import audit, metadata, reporting, state, stream_first
from services.equipment import reports as batches
from services.equipment.bodies import (
    Accepted,
    Audit,
    AuditBody,
    Equipment,
    EquipmentBody,
    Reports,
    RollbackBody,
    StateBody,
    StateReport,
)
from services.equipment.metadata import EQUIPMENT, EquipmentRow
from services.equipment.places import guard_of, stay_of
from services.equipment.reporting import Reporter
from services.equipment.stream_first import REPORTS_AT_ONCE
from services.equipment.tables import TABLE

app = HttpApi()
handler = app.handler


@app.serves(
    "PUT /equipment/{id}",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(Equipment, 201, 200, 409, 412, 428),
)
def put_equipment(equipment_id: EquipmentId, body: EquipmentBody, if_match: IfMatch = None) -> Response:
    """Register a piece of equipment, or change it; If-Match names the version to change."""
    said = body.model_dump(exclude_none=True)  # else a retry of a command of before `validFrom` would be another one
    return _saved(metadata.register(equipment_id, said, app.command(if_match, said), guard_of(app.caller.places)))


@app.serves(
    "DELETE /equipment/{id}",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(None, 204, 404, 409, 412, 428),
)
def delete_equipment(equipment_id: EquipmentId, if_match: IfMatch = None) -> Response:
    """Delete a piece of equipment; its history stays, and a PUT brings it back."""
    saved = EQUIPMENT.delete(equipment_id, app.command(if_match, {}), guard_of(app.caller.places))
    return respond(
        HTTPStatus.NO_CONTENT, x_after=after.of_row(saved.row, metadata.equipment_changed, source="equipment")
    )


@app.serves(
    "POST /equipment/{id}/rollback",
    groups=EQUIPMENT_WRITERS,
    at=IN_FUNCTION,
    responses=responses_of_write(Equipment, 200, 404, 409, 412, 428),
)
def post_rollback(equipment_id: EquipmentId, body: RollbackBody, if_match: IfMatch = None) -> Response:
    """Make an earlier version current again, as a new version."""
    command, guard = app.command(if_match, body.model_dump()), guard_of(app.caller.places)
    return _saved(EQUIPMENT.roll_back(equipment_id, body.toVersion, command, guard))


@app.serves(
    "PUT /equipment/{id}/audits/{part}",
    groups=AUDITORS,
    at=IN_FUNCTION,
    responses=responses_of_write(Audit, 201, 200, 404, 409, 412, 428),
)
def put_audit(equipment_id: EquipmentId, part: Part, body: AuditBody, if_match: IfMatch = None) -> Response:
    """Record an audit of a part, `_` for the whole: the next revision."""
    content = body.model_dump()
    draft = audit.record(equipment_id, part, content, app.command(if_match, content))
    versions = audit.versions_of(equipment_id, part, guard_of(app.caller.places))
    try:
        saved = save(versions, draft)
    except PreconditionRequired:
        row = versions.current()
        if row is None or stay_of(equipment_id).is_at(app.caller.places, time_of(row)):
            raise
        # Who may not see the audit of another company has no version to name.
        saved = save(versions, draft._replace(command=draft.command._replace(if_match=row["version"])))
    token = after.of_row(saved.row, audit.audit_recorded, source="equipment")
    return app.saved(saved, to_response=audit.to_response, after=token)


@app.serves(
    "POST /states",
    groups=STATE_REPORTERS,
    at=IN_FUNCTION,
    responses=responses(Accepted, 202),
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
    responses=responses_of_write(StateReport, 201, 200, 409, 429),
    is_shared=True,  # a device reports every few minutes; whoever reports for many machines does so by POST /states
)
def put_state(equipment_id: EquipmentId, timestamp: Timestamp, body: StateBody) -> Response:
    """Report the state of a piece of equipment at a time; the same again changes nothing.

    A device reports for itself only, a gateway for the equipment of its own factory.
    """
    _require_own(equipment_id, timestamp)
    report = state.entity_of(equipment_id, body.state, timestamp, body.detail)
    row = state.report_state(report, actor=app.caller.subject, now_ms=clock.now_ms())
    token = after.of_row(row, state.state_reported, source="equipment")
    try:
        TABLE.put(row, condition=TABLE.absent)
    except ConditionFailed as failed:
        state.require_same(report, failed.row)
        return respond(HTTPStatus.OK, report, x_after=token)
    return respond(HTTPStatus.CREATED, report, x_after=token)


def _saved(saved: Saved[EquipmentRow]) -> Response:
    token = after.of_row(saved.row, metadata.equipment_changed, source="equipment")
    return app.saved(saved, to_response=EQUIPMENT.to_response, after=token)


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

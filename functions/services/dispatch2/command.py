"""HTTP -> dispatch2 table, with Powertools' resolver."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from andon.http.limits import OfSubject
from andon.http.parameters import IfMatch, Timestamp
from andon.http.powertools import PowertoolsApi
from andon.http.response import Response, responses_of_write
from andon.versions.versioned_write import save
from contract import after, directory
from contract.groups import ASSIGNERS
from contract.log_rows import log_of
from contract.parameters import EquipmentId, State
from services.dispatch2 import crew
from services.dispatch2.crew import CrewAssignment, CrewAssignmentBody
from services.dispatch2.tables import TABLE

app = APIGatewayHttpResolver(enable_validation=True)
api = PowertoolsApi(app)
handler = api.handler

OF_LOG = OfSubject("equipment_id", time="timestamp")


@app.put("/v2/equipment/<id>/logs/<state>/<timestamp>/assignment")
@api.allows(groups=ASSIGNERS, at=OF_LOG, responses=responses_of_write(CrewAssignment, 201, 200, 412, 428))
def put_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, body: CrewAssignmentBody, if_match: IfMatch = None
) -> Response:
    """Assign a log to a crew, or to another one."""
    log, said = log_of(equipment_id, state, timestamp), body["crew"]
    directory.require_within(TABLE, api.caller, api.stay, [said["lead"], *said["members"]])
    saved = save(crew.versions_of(log), crew.assign(log, said, api.command(if_match, body)))
    token = after.of_row(saved.row, crew.fact_of, source="dispatch2")
    return api.saved(saved, to_response=crew.to_response, after=token)

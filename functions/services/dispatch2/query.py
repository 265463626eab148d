"""dispatch2 table -> HTTP, with Powertools' resolver."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from andon.dynamodb.ttl import is_alive
from andon.http.limits import OfSubject
from andon.http.parameters import IfNoneMatch, Timestamp
from andon.http.powertools import PowertoolsApi
from andon.http.response import Response, responses
from andon.runtime import clock
from andon.runtime.errors import NotFound
from contract.groups import READERS
from contract.log_rows import log_of
from contract.parameters import EquipmentId, State
from services.dispatch2 import crew
from services.dispatch2.crew import CrewAssignment

app = APIGatewayHttpResolver(enable_validation=True)
api = PowertoolsApi(app)
handler = api.handler

OF_LOG = OfSubject("equipment_id", time="timestamp")


@app.get("/v2/equipment/<id>/logs/<state>/<timestamp>/assignment")
@api.allows(groups=READERS, at=OF_LOG, responses=responses(CrewAssignment, 200, 304, 404))
def get_assignment(
    equipment_id: EquipmentId, state: State, timestamp: Timestamp, if_none_match: IfNoneMatch = None
) -> Response:
    """Return the crew of a log."""
    row = crew.versions_of(log_of(equipment_id, state, timestamp)).current()
    if row is None or not is_alive(row, clock.now_ms()):
        raise NotFound("This log has no crew.")
    return api.found(row, to_response=crew.to_response, if_none_match=if_none_match)

"""agenda_days view -> HTTP."""

from typing import Final

from andon.http.after import NOT_YET, awaited, read_object
from andon.http.http_api import HttpApi
from andon.http.limits import OfPlace
from andon.http.models import ResponseModel
from andon.http.openapi import responses
from andon.http.parameters import After, IfNoneMatch
from andon.http.response import Response, respond_unless_known
from andon.runtime import clock
from andon.views.seen import Writes
from contract.agenda import position, to_response
from contract.agenda_response import PlannedOrder
from contract.groups import READERS
from contract.parameters import AgendaDay, FactoryId
from views.agenda_days.view import OBJECTS, ON, TTL_DAYS

WRITES: Final = Writes(table=OBJECTS, on=ON, days=TTL_DAYS)

app = HttpApi()
handler = app.handler


class AgendaDayResponse(ResponseModel):
    """All orders of a factory's day, in the order of the agenda."""

    items: list[PlannedOrder]


@app.serves(
    "GET /factories/{factoryId}/agenda/{date}",
    groups=READERS,
    at=OfPlace("factory_id"),
    responses=responses(AgendaDayResponse, 200, 304) | NOT_YET,
)
def get_agenda_day(
    factory_id: FactoryId, day: AgendaDay, if_none_match: IfNoneMatch = None, after: After = None
) -> Response:
    """List the orders of a factory that are planned for a day."""
    rows = read_object(OBJECTS, (factory_id, day), awaited(after, WRITES), now_ms=clock.now_ms())
    rows.sort(key=lambda row: position(row["OrderID"], row["EquipmentID"]))
    return respond_unless_known({"items": [*map(to_response, rows)]}, if_none_match=if_none_match)

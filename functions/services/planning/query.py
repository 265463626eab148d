"""planning table -> HTTP."""

from typing import Final

from andon.dynamodb.keys import prefix
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.http.derived import PageOf, Shown
from andon.http.http_api import About, HttpApi
from andon.http.limits import OfSubject
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit
from andon.http.response import Response, responses
from contract.entities.planning import OverdueEntity
from contract.groups import READERS
from contract.parameters import EquipmentId
from services.planning.decided import overdue_in, time_of
from services.planning.rules import overdue
from services.planning.tables import KEYS, TABLE, partition_of

app = HttpApi()
handler = app.handler


OVERDUE: Final = PageOf(
    Shown(
        OverdueEntity,
        "OverdueResponse",
        "An order that was not finished on the day that it was planned for; `timestamp` is the end of that day, UTC.",
    ),
    "OverduePage",
    "A page of them, those of the latest days first; a missing cursor is the end.",
)


@app.serves(
    "GET /equipment/{id}/overdue", groups=READERS, at=OfSubject("equipment_id"), responses=responses(OVERDUE, 200)
)
def get_overdue(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the orders of a machine that were overdue, also if they are finished by now."""
    decided = BeginsWith(prefix("decision", overdue.RULE.id))
    query = KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=decided)
    return app.page(TABLE, query, to_response=overdue_in, limit=limit, cursor=cursor, about=About(time_of))

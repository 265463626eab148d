"""agenda_days view -> HTTP."""

from typing import Final

from andon.http.after import NOT_YET, awaited, read_object
from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.limits import OfPlace
from andon.http.page import MAX_LIMIT, count_that_fit, decode_texts, encode_cursor
from andon.http.parameters import After, Cursor, IfNoneMatch, Limit
from andon.http.response import Response, respond_unless_known, responses
from andon.runtime import clock
from andon.views.seen import Writes
from contract.agenda import position, to_response
from contract.agenda_response import ORDER
from contract.groups import READERS
from contract.parameters import AgendaDay, FactoryId
from views.agenda_days.view import OBJECTS, ON, TTL_DAYS

BEHIND: Final = "behind"
"""Of a cursor: the position of the last order of its page."""

POSITION: Final = frozenset({BEHIND})

WRITES: Final = Writes(table=OBJECTS, on=ON, days=TTL_DAYS)

app = HttpApi()
handler = app.handler


AGENDA_DAY: Final = PageOf(
    ORDER,
    "AgendaDayResponse",
    "A page of the orders of a factory's day, in the order of the agenda; a missing cursor is the end.",
)


@app.serves(
    "GET /factories/{factoryId}/agenda/{date}",
    groups=READERS,
    at=OfPlace("factory_id"),
    responses=responses(AGENDA_DAY, 200, 304) | NOT_YET,
)
def get_agenda_day(
    factory_id: FactoryId,
    day: AgendaDay,
    limit: Limit = MAX_LIMIT,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
    after: After = None,
) -> Response:
    """List the orders of a factory that are planned for a day."""
    begins = "" if cursor is None else decode_texts(cursor, names=POSITION, scope=app.scope)[BEHIND]
    rows = read_object(OBJECTS, (factory_id, day), awaited(after, WRITES), now_ms=clock.now_ms())
    positions = {position(row["OrderID"], row["EquipmentID"]): row for row in rows}
    shown = [one for one in sorted(positions) if one > begins]
    items = [to_response(positions[one]) for one in shown[:limit]]
    count = count_that_fit(items)
    more = {BEHIND: shown[count - 1]} if count < len(shown) else None
    page = {"items": items[:count]} | (
        {} if more is None else {"cursor": encode_cursor(more, partition="", scope=app.scope)}
    )
    return respond_unless_known(page, if_none_match=if_none_match)

"""agenda view -> HTTP."""

from typing import Final

from andon.dynamodb.keys import SEPARATOR
from andon.dynamodb.schema import Between, KeyQuery
from andon.http.after import NOT_YET, awaited
from andon.http.derived import PageOf
from andon.http.http_api import HttpApi
from andon.http.limits import OfPlace
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import After, Cursor, Limit
from andon.http.response import Response, responses
from andon.runtime.errors import Invalid
from andon.views.seen import Writes
from contract.agenda import to_response
from contract.agenda_response import ORDER
from contract.groups import READERS
from contract.parameters import FactoryId, FirstDay, LastDay
from views.agenda.view import BY_DAY, ON, TABLE, TTL_DAYS

WRITES: Final = Writes(table=TABLE, on=ON, days=TTL_DAYS)
BEHIND: Final = chr(ord(SEPARATOR) + 1)
"""Sorts behind all that begins with a day and a separator."""

app = HttpApi()
handler = app.handler


AGENDA: Final = PageOf(ORDER, "AgendaResponse", "A page of a factory's agenda, by day; a missing cursor is the end.")


@app.serves(
    "GET /factories/{factoryId}/agenda",
    groups=READERS,
    at=OfPlace("factory_id"),
    responses=responses(AGENDA, 200) | NOT_YET,
)
def get_agenda(
    factory_id: FactoryId,
    first: FirstDay = None,
    last: LastDay = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    after: After = None,
) -> Response:
    """List the orders of a factory by the days that they are planned for."""
    return app.page(
        TABLE,
        _orders_of(factory_id, first, last),
        to_response=to_response,
        limit=limit,
        cursor=cursor,
        after=awaited(after, WRITES),
    )


def _orders_of(factory_id: str, first: str | None, last: str | None) -> KeyQuery:
    if first is not None and last is not None and first > last:
        raise Invalid.field("query.from", "lies behind `to`")
    days = Between(first or "0", f"{last or '9'}{BEHIND}")
    return KeyQuery(keys=BY_DAY, index_name="ByDay", partition=factory_id, sort=days, forward=True)

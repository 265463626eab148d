"""state_log view -> HTTP."""

from typing import Final

from andon.dynamodb.schema import KeyQuery
from andon.http.after import NOT_YET, awaited
from andon.http.derived import PageOf
from andon.http.http_api import About, HttpApi
from andon.http.limits import BY_ROWS, OfSubject
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import After, Cursor, Day, From, Limit, To
from andon.http.response import Response, responses
from andon.runtime import clock
from andon.views.seen import Writes
from contract.groups import READERS
from contract.parameters import EquipmentId, Operator, StateFilter, Supervisor
from views.state_log.access_patterns import escalations_to, logs_of_equipment, logs_of_operator
from views.state_log.log import Log, equipment_in, time_of, to_response
from views.state_log.older import link_to_archive
from views.state_log.view import ON, TABLE, TTL_DAYS

app = HttpApi()
handler = app.handler

LOGS: Final = PageOf(Log, "LogsResponse", "A page of logs; a missing cursor is the end.")
WRITES = Writes(table=TABLE, on=ON, days=TTL_DAYS)


@app.serves(
    "GET /equipment/{id}/logs",
    groups=READERS,
    at=OfSubject("equipment_id"),
    responses=responses(LOGS, 200) | NOT_YET,
)
def get_logs_of_equipment(
    equipment_id: EquipmentId,
    state: StateFilter = None,
    first: From = None,
    last: To = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    after: After = None,
) -> Response:
    """List the logs of a piece of equipment, newest first; those of `WARNING*` by state, then time, descending.

    If `from` lies before the oldest log that is still kept, `Link` leads to what the archive has.
    """
    link = link_to_archive(equipment_id, first, last, now_ms=clock.now_ms())
    query, write = logs_of_equipment(equipment_id, state, first, last), awaited(after, WRITES, about=equipment_id)
    return app.page(
        TABLE,
        query,
        to_response=to_response,
        limit=limit,
        cursor=cursor,
        headers=link,
        after=write,
        about=About(time_of),
    )


@app.serves("GET /operators/{operator}/logs", groups=READERS, at=BY_ROWS, responses=responses(LOGS, 200, 409) | NOT_YET)
def get_logs_of_operator(
    operator: Operator,
    first: From = None,
    last: To = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    after: After = None,
) -> Response:
    """List the logs that an operator is assigned to, newest first; of equipment at the caller's places."""
    return _page_by_rows(logs_of_operator(operator, first, last), limit, cursor, after)


@app.serves(
    "GET /supervisors/{supervisor}/escalations",
    groups=READERS,
    at=BY_ROWS,
    responses=responses(LOGS, 200, 409) | NOT_YET,
)
def get_escalations(
    supervisor: Supervisor,
    state: StateFilter = None,
    date: Day = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    after: After = None,
) -> Response:
    """List escalations to a supervisor, by state, then time, descending; at the caller's places."""
    return _page_by_rows(escalations_to(supervisor, state, date), limit, cursor, after)


def _page_by_rows(query: KeyQuery, limit: int, cursor: str | None, after: str | None) -> Response:
    """Return a page of logs of several pieces of equipment; each row names its places."""
    return app.page(
        TABLE,
        query,
        to_response=to_response,
        limit=limit,
        cursor=cursor,
        after=awaited(after, WRITES),
        about=About(time_of, equipment_in),
    )

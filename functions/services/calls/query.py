"""calls table -> HTTP."""

from collections.abc import Callable

from andon.http.http_api import About, HttpApi
from andon.http.limits import IN_FUNCTION
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, IfNoneMatch, Limit
from andon.http.places import ALWAYS
from andon.http.response import Response, responses
from andon.runtime import clock
from andon.runtime.errors import NotFound
from contract.calls import KEPT_DAYS
from contract.groups import CALL_READERS, READERS
from contract.parameters import CallId, EquipmentId, FactoryId
from contract.stations import require_own
from services.calls import call, cause
from services.calls.api import CATALOG
from services.calls.bodies import CALL, CALLS, LineFilter, OpenFilter, StartedAt
from services.calls.call import CallRow, CallVersion, OpenCallVersion
from services.calls.catalog import CATALOGS
from services.calls.cause import CauseVersion, EpisodeKey
from services.calls.places import (
    OF_EPISODE,
    OF_EQUIPMENT,
    is_own,
    require_in,
    require_in_factory,
    require_shown,
    sees,
    since_for,
)
from services.calls.tables import TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /calls/{id}", groups=CALL_READERS, at=IN_FUNCTION, responses=responses(CALL, 200, 304, 404))
def get_call(call_id: CallId, if_none_match: IfNoneMatch = None) -> Response:
    """Return a call as it is now; a station sees those of its own equipment."""
    row = call.get(call_id, now_ms=clock.now_ms())
    require_shown(app.caller, row)
    if row is None:
        raise NotFound(call.MISSING)
    shown = _shown_since(since_for(app.caller, row["equipmentId"]))
    return app.found(row, to_response=shown, if_none_match=if_none_match)


@app.serves("GET /factories/{factoryId}/calls", groups=READERS, at=IN_FUNCTION, responses=responses(CALLS, 200))
def get_open_calls(
    factory_id: FactoryId,
    line: LineFilter = None,
    is_open: OpenFilter = "true",  # noqa: ARG001  there are no others in this list
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response:
    """List the open calls of a factory, or of a line of it: by line, then priority, the oldest first.

    Who is limited to a line names it.
    """
    require_in(app.caller.places, factory_id, line)
    query = call.open_calls(factory_id, line)
    return app.page(TABLE, query, to_response=call.to_response, limit=limit, cursor=cursor)


@app.serves("GET /equipment/{id}/calls", groups=CALL_READERS, at=OF_EQUIPMENT, responses=responses(CALLS, 200))
def get_calls(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List the calls at a piece of equipment."""
    require_own(app.caller, READERS, equipment_id)
    query, since = call.calls_of(equipment_id), since_for(app.caller, equipment_id)
    return app.page(
        TABLE,
        query,
        to_response=_shown_since(since),
        limit=limit,
        cursor=cursor,
        about=About(lambda row: ALWAYS if is_own(app.caller, row) else call.time_of(row), since=since),
    )


get_calls.__doc__ = f"""\
List the calls at a piece of equipment, newest first: open ones, and those that ended in the last {KEPT_DAYS} days.

Of a call that was open when another company had the equipment, only what is needed to answer it is shown.
"""


@app.serves(
    "GET /factories/{factoryId}/catalog",
    groups=CALL_READERS,
    at=IN_FUNCTION,
    responses=responses(CATALOG.response, 200, 304, 404),
)
def get_catalog(factory_id: FactoryId, if_none_match: IfNoneMatch = None) -> Response:
    """Return the categories of a factory's calls, and its causes of trouble; a station sees its own factory's."""
    require_in_factory(app.caller, factory_id)
    return app.found(CATALOGS.get(factory_id), to_response=CATALOGS.to_response, if_none_match=if_none_match)


@app.serves(
    "GET /equipment/{id}/episodes/{startedAt}/cause",
    groups=READERS,
    at=OF_EPISODE,
    responses=responses(CauseVersion, 200, 304, 404),
)
def get_cause(equipment_id: EquipmentId, started_at: StartedAt, if_none_match: IfNoneMatch = None) -> Response:
    """Return the cause of an episode."""
    row = cause.get(EpisodeKey(equipment_id, started_at), now_ms=clock.now_ms())
    return app.found(row, to_response=cause.to_response, if_none_match=if_none_match)


def _shown_since(since: str) -> Callable[[CallRow], CallVersion | OpenCallVersion]:
    """Return the form in which the caller sees a call; since: see `since_for`."""
    return lambda row: call.to_response(row) if sees(app.caller, row, since) else call.to_open(row)

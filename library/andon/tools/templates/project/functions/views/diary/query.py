"""diary view -> HTTP."""

from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator

from andon.dynamodb.attribute_values import Item
from andon.http import models
from andon.http.after import NOT_YET, awaited, read_object
from andon.http.http_api import HttpApi
from andon.http.parameters import After, IfNoneMatch, Path, described
from andon.http.response import Response, respond_unless_known, responses
from andon.project import project
from andon.runtime import clock, times
from andon.runtime.json_types import JsonObject
from andon.views.seen import Writes
from views.diary.view import OBJECTS, ON, TTL_DAYS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting
WRITES: Final = Writes(table=OBJECTS, on=ON, days=TTL_DAYS)

Day = Annotated[
    str,
    AfterValidator(times.date),
    described(models.DATE, "2026-01-31"),
    Path(alias="date", description="A day, UTC."),
]

app = HttpApi()
handler = app.handler


class DiaryItem(TypedDict):
    """What was said of one on that day last."""

    id: str
    place: str


class DiaryResponse(TypedDict):
    """All of which something was said on a day."""

    items: list[DiaryItem]


@app.serves("GET /diary/{date}", groups=ANYBODY, responses=responses(DiaryResponse, 200, 304) | NOT_YET)
def get_diary_of_day(day: Day, if_none_match: IfNoneMatch = None, after: After = None) -> Response:
    """List all of which something was said on a day."""
    rows = read_object(OBJECTS, (day,), awaited(after, WRITES), now_ms=clock.now_ms())
    return respond_unless_known({"items": [*map(_to_response, rows)]}, if_none_match=if_none_match)


def _to_response(row: Item) -> JsonObject:
    return {"id": row["thing"], "place": row["place"]}

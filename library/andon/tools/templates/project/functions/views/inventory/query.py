"""inventory view -> HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator

from andon.dynamodb.schema import KeyQuery
from andon.dynamodb.ttl import is_alive
from andon.http import models
from andon.http.after import NOT_YET, awaited, read_row
from andon.http.derived import Shown
from andon.http.http_api import HttpApi
from andon.http.parameters import After, Path, Query, described
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.runtime import clock, texts
from andon.runtime.errors import NotFound
from andon.views.seen import Writes
from views.inventory.view import BY_PLACE, KEPT, KEYS, ON, TABLE, TTL_DAYS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting
WRITES: Final = Writes(table=TABLE, on=ON, days=TTL_DAYS)

# <row>
ThingId = Annotated[
    str, AfterValidator(texts.word), described(models.WORD | models.IMPERSONAL, "thing-1"), Path(alias="id")
]
# </row>
# <counted>
MOST_CHARACTERS: Final = 500  # the key of an index has 2,048 bytes at most
Place = Annotated[
    str,
    AfterValidator(partial(texts.line, longest=MOST_CHARACTERS)),
    described(models.line(MOST_CHARACTERS) | models.IMPERSONAL, "place-1"),
    Query(alias="place"),
]
# </counted>

app = HttpApi()
handler = app.handler


# <row>
class InventoryResponse(TypedDict):
    """What was said of it last."""

    id: str
    place: str


# <declared>
SHOWN: Final = Shown(InventoryResponse, "InventoryResponse", more=KEPT.optional)
# </declared>


@app.serves("GET /inventory/{id}", groups=ANYBODY, responses=responses(SHOWN, 200, 404) | NOT_YET)
def get_thing_in_inventory(thing_id: ThingId, after: After = None) -> Response:
    """Return what was said of it last."""
    now_ms = clock.now_ms()
    row = read_row(TABLE, KEYS.of(thing_id), awaited(after, WRITES, about=thing_id), now_ms=now_ms)
    if row is None or not is_alive(row, now_ms):
        raise NotFound("Nothing is known of this thing.")
    return respond(HTTPStatus.OK, {"id": thing_id, **KEPT.said_in(row)})


# </row>
# <counted>
class InventoryByPlace(TypedDict):
    """How many there are now; `complete` is false if there are more, too many to be counted at once."""

    place: str
    count: int
    complete: bool


@app.serves("GET /inventory", groups=ANYBODY, responses=responses(InventoryByPlace, 200))
def get_inventory_by_place(place: Place) -> Response:
    """Count those of which this was said last; what was said a moment ago may be missing."""
    query = KeyQuery(keys=BY_PLACE, index_name="ByPlace", partition=place)
    found = TABLE.count(query, now_ms=clock.now_ms())
    return respond(HTTPStatus.OK, {"place": place, "count": found.number, "complete": found.is_whole})


# </counted>

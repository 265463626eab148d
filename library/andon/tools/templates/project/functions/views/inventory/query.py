"""inventory view -> HTTP."""

from http import HTTPStatus
from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator

from andon.dynamodb.ttl import is_alive
from andon.http import schemas
from andon.http.after import NOT_YET, awaited, read_row
from andon.http.derived import Shown
from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.parameters import After, Path, described
from andon.http.response import Response, respond
from andon.project import project
from andon.runtime import clock, texts
from andon.runtime.errors import NotFound
from andon.views.seen import Writes
from views.inventory.view import KEPT, KEYS, ON, TABLE, TTL_DAYS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting
WRITES: Final = Writes(table=TABLE, on=ON, days=TTL_DAYS)

ThingId = Annotated[
    str, AfterValidator(texts.word), described(schemas.WORD | schemas.IMPERSONAL, "thing-1"), Path(alias="id")
]

app = HttpApi()
handler = app.handler


class InventoryResponse(TypedDict):
    """What was said of it last."""

    id: str
    place: str


SHOWN: Final = Shown(InventoryResponse, "InventoryResponse", more=KEPT.optional)


@app.serves("GET /inventory/{id}", groups=ANYBODY, responses=responses(SHOWN, 200, 404) | NOT_YET)
def get_thing_in_inventory(thing_id: ThingId, after: After = None) -> Response:
    """Return what was said of it last."""
    now_ms = clock.now_ms()
    row = read_row(TABLE, KEYS.of(thing_id), awaited(after, WRITES, about=thing_id), now_ms=now_ms)
    if row is None or not is_alive(row, now_ms):
        raise NotFound("Nothing was said of this.")
    return respond(HTTPStatus.OK, {"id": thing_id, **KEPT.said_in(row)})

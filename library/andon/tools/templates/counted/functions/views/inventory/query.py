"""inventory view -> HTTP: how many there are by place."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator

from andon.dynamodb.key_query import KeyQuery
from andon.http import schemas
from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.parameters import Query, described
from andon.http.response import Response, respond
from andon.project import project
from andon.runtime import clock, texts
from views.inventory.view import BY_PLACE, TABLE

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting
MOST_CHARACTERS: Final = 500  # the key of an index has 2,048 bytes at most

Place = Annotated[
    str,
    AfterValidator(partial(texts.line, longest=MOST_CHARACTERS)),
    described(schemas.line(MOST_CHARACTERS) | schemas.IMPERSONAL, "north"),
    Query(alias="place"),
]

app = HttpApi()
handler = app.handler


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

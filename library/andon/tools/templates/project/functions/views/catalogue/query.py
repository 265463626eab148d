"""catalogue view -> HTTP."""

from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import KeyQuery
from andon.http import derived, models
from andon.http.after import NOT_YET, awaited
from andon.http.http_api import HttpApi
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import After, Cursor, Limit, Path, described
from andon.http.response import Response, responses
from andon.project import project
from andon.runtime import texts
from andon.runtime.json_types import JsonObject
from andon.views.seen import Writes
from views.catalogue.view import KEYS, ON, TABLE, TTL_DAYS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting
WRITES: Final = Writes(table=TABLE, on=ON, days=TTL_DAYS)

ShelfId = Annotated[
    str, AfterValidator(texts.word), described(models.WORD | models.IMPERSONAL, "shelf-1"), Path(alias="shelfId")
]

app = HttpApi()
handler = app.handler


class CatalogueResponse(TypedDict):
    """The last statement about one."""

    id: str
    place: str


SHOWN: Final = derived.Shown(CatalogueResponse, "CatalogueResponse")
PAGE: Final = derived.PageOf(SHOWN, "CataloguePage", "A page of what there is, by id; a missing cursor is the end.")


@app.serves("GET /catalogue/{shelfId}", groups=ANYBODY, responses=responses(PAGE, 200) | NOT_YET)
def get_catalogue(
    shelf_id: ShelfId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None, after: After = None
) -> Response:
    """List what was said last of each."""
    query = KeyQuery(keys=KEYS, partition=shelf_id, forward=True)
    write = awaited(after, WRITES, about=shelf_id)
    return app.page(TABLE, query, to_response=_to_response, limit=limit, cursor=cursor, after=write)


def _to_response(row: Item) -> JsonObject:
    return {"id": row["book"], "place": row["place"]}

"""watch table -> HTTP."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.dynamodb.keys import prefix
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.http import models
from andon.http.derived import PageOf, Shown
from andon.http.http_api import HttpApi
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit, Path, described
from andon.http.response import Response, responses
from andon.project import project
from andon.runtime import texts
from services.watch.rules import restless
from services.watch.tables import KEYS, TABLE, partition_of

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

ThingId = Annotated[
    str, AfterValidator(texts.word), described(models.WORD | models.IMPERSONAL, "thing-1"), Path(alias="id")
]

app = HttpApi()
handler = app.handler


DECIDED: Final = Shown(
    restless.RestlessEntity, "Restless", "A decision; `since`: epoch milliseconds of the first of them."
)
PAGE: Final = PageOf(DECIDED, "RestlessPage", "A page of decisions, the latest first; a missing cursor is the end.")


@app.serves("GET /watch/{id}", groups=ANYBODY, responses=responses(PAGE, 200))
def list_restless(thing_id: ThingId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response:
    """List when it was restless, the latest first."""
    decided = BeginsWith(prefix("decision", restless.RULE.id))
    query = KeyQuery(keys=KEYS, partition=partition_of(thing_id), sort=decided)
    return app.page(TABLE, query, to_response=restless.to_entity, limit=limit, cursor=cursor)

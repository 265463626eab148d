"""planning table -> HTTP."""

from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import AfterValidator

from andon.dynamodb.key_query import BeginsWith, KeyQuery
from andon.dynamodb.keys import prefix
from andon.http import schemas
from andon.http.http_api import HttpApi
from andon.http.models import ResponseModel
from andon.http.openapi import Absent, responses
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Cursor, Limit, described
from andon.project import project
from andon.runtime import texts
from services.planning.rules import overdue
from services.planning.tables import KEYS, TABLE, partition_of

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

EquipmentId = Annotated[str, AfterValidator(texts.word), described(schemas.WORD, "press-7"), Path(alias="id")]

app = HttpApi()
handler = app.handler


class Overdue(ResponseModel):
    """A decision; `since`: epoch milliseconds of the first of them."""

    id: str
    since: int


class OverduePage(ResponseModel):
    """A page of decisions, the latest first; a missing cursor is the end."""

    items: list[Overdue]
    cursor: str | Absent = None


@app.serves("GET /planning/{id}", groups=ANYBODY, responses=responses(OverduePage, 200))
def get_planning(equipment_id: EquipmentId, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Response[str]:
    """List when it was overdue, the latest first."""
    decided = BeginsWith(prefix("decision", overdue.RULE.id))
    query = KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=decided)
    return app.page(TABLE, query, to_response=overdue.to_entity, limit=limit, cursor=cursor)

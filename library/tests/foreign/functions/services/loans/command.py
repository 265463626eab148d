from http import HTTPStatus
from typing import Annotated

from andon.dynamodb.expressions import Condition
from andon.http.http_api import HttpApi
from andon.http.models import RequestModel
from andon.http.parameters import Path
from andon.http.response import Response, respond, responses
from andon.runtime import clock
from services.loans.tables import TABLE

app = HttpApi()
handler = app.handler


class Loan(RequestModel):
    holder: str


@app.serves("PUT /books/{id}/loan", groups=frozenset({"reader", "admin"}), responses=responses(None, 204))
def lend(book: Annotated[str, Path(alias="id")], body: Loan) -> Response:
    row = {"id": book, "discriminator": "loan", "holder": body.holder, "timestamp": clock.now_ms()}
    newer = Condition("attribute_not_exists(#t) OR #t < :now", {"t": "timestamp"}, {"now": row["timestamp"]})
    TABLE.put(row | {"changedBy": app.caller.subject}, condition=newer)
    return respond(HTTPStatus.NO_CONTENT)

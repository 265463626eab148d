from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from andon.http.http_api import HttpApi
from andon.http.openapi import responses
from andon.http.response import respond
from andon.runtime.errors import NotFound
from views.borrowed.view import KEYS, TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /books/{id}/loan", groups=frozenset({"reader"}), responses=responses(None, 200, 404))
def borrowed(book: Annotated[str, Path(alias="id")]) -> Response[str]:
    row = TABLE.get(KEYS.of(book))
    if row is None:
        raise NotFound("Nobody has this book.")
    return respond(HTTPStatus.OK, {"book": book, "holder": row["holder"]})

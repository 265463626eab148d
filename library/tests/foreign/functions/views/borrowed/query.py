from http import HTTPStatus
from typing import Annotated

from andon.http.http_api import HttpApi
from andon.http.parameters import Path
from andon.http.response import Response, respond, responses
from andon.runtime.errors import NotFound
from views.borrowed.view import KEYS, TABLE

app = HttpApi()
handler = app.handler


@app.serves("GET /books/{id}/loan", groups=frozenset({"reader"}), responses=responses(None, 200, 404))
def borrowed(book: Annotated[str, Path(alias="id")]) -> Response:
    row = TABLE.get(KEYS.of(book))
    if row is None:
        raise NotFound("Nobody has this book.")
    return respond(HTTPStatus.OK, {"book": book, "holder": row["holder"]})

from typing import Annotated

from andon.http.http_api import HttpApi
from andon.http.parameters import IfNoneMatch, Path
from andon.http.response import Response, respond_unless_known, responses
from andon.runtime import clock
from views.shelves.view import OBJECTS

app = HttpApi()
handler = app.handler


@app.serves("GET /readers/{id}/books", groups=frozenset({"reader"}), responses=responses(None, 200, 304))
def shelf(holder: Annotated[str, Path(alias="id")], if_none_match: IfNoneMatch = None) -> Response:
    books = [row["book"] for row in OBJECTS.shown((holder,), now_ms=clock.now_ms())]
    return respond_unless_known({"books": books}, if_none_match=if_none_match)

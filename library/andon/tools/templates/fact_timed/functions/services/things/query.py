"""things table -> HTTP."""

from andon.http.http_api import HttpApi
from services.things.api import INSPECTION_API

app = HttpApi()
handler = app.handler

INSPECTION_API.reads(app)
INSPECTION_API.reads_all(app, "/things/{id}/inspection")

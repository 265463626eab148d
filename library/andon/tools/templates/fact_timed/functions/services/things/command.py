"""HTTP -> things table."""

from andon.http.http_api import HttpApi
from services.things.api import INSPECTION_API

app = HttpApi()
handler = app.handler

INSPECTION_API.writes(app)

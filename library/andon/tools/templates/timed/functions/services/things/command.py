"""HTTP -> things table."""

from andon.http.http_api import HttpApi
from services.things.api import API

app = HttpApi()
handler = app.handler

API.writes(app)

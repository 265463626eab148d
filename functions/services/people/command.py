"""HTTP -> people table, and erasures."""

from andon.http.http_api import HttpApi
from services.people.api import API

app = HttpApi(no_store=True)
handler = app.handler

API.writes(app)

"""HTTP -> guests table, and erasures."""

from andon.http.http_api import HttpApi
from services.guests.api import API

app = HttpApi(no_store=True)
handler = app.handler

API.writes(app)

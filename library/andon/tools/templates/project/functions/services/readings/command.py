"""HTTP -> readings table."""

from andon.http.http_api import HttpApi
from services.readings.api import API

app = HttpApi()
handler = app.handler

API.writes(app)

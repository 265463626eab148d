"""HTTP -> equipment2 table."""

from andon.http.http_api import HttpApi
from services.equipment2.api import API

app = HttpApi()
handler = app.handler

API.writes(app)

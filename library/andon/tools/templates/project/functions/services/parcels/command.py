"""HTTP -> parcels table."""

from andon.http.http_api import HttpApi
from services.parcels.api import ESTIMATE_API

app = HttpApi()
handler = app.handler

ESTIMATE_API.writes(app)

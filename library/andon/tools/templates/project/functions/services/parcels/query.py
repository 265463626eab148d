"""parcels table -> HTTP."""

from andon.http.http_api import HttpApi
from services.parcels.api import ESTIMATE_API

app = HttpApi()
handler = app.handler

ESTIMATE_API.reads(app)
ESTIMATE_API.reads_all(app, "/parcels/{id}/estimate")

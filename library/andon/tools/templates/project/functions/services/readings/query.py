"""readings table -> HTTP."""

from andon.http.http_api import HttpApi
from services.readings.api import API

app = HttpApi()
handler = app.handler

API.reads(app)
API.reads_all(app, "/readings/{deviceId}")

"""guests table -> HTTP."""

from andon.http.http_api import HttpApi
from services.guests.api import API, HallId

app = HttpApi(no_store=True)
handler = app.handler

API.reads(app)
# <placed>
API.reads_place(app, "/halls/{hallId}/guests", {"hall_id": HallId})
# </placed>

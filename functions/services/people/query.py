"""people table -> HTTP."""

from andon.http.http_api import HttpApi
from contract.parameters import FactoryId
from services.people.api import API

app = HttpApi(no_store=True)
handler = app.handler

API.reads(app)
API.reads_place(app, "/factories/{factoryId}/people", {"factory_id": FactoryId})

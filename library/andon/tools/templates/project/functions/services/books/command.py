"""HTTP -> books table."""

from andon.http.http_api import HttpApi
from services.books.api import API

app = HttpApi()
handler = app.handler

API.writes(app)

# <inspection>
"""HTTP -> watch table."""

from andon.http.http_api import HttpApi
from services.watch.api import INSPECTION_API

app = HttpApi()
handler = app.handler

INSPECTION_API.writes(app)
# </inspection>

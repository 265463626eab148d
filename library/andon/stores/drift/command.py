"""HTTP -> the queue that asks a view to be recomputed."""

import os
from http import HTTPStatus
from typing import Annotated, TypedDict

from pydantic import StringConstraints

from andon.drift.recompute import RecomputeWork
from andon.http.http_api import HttpApi
from andon.http.parameters import Path
from andon.http.response import Response, respond, responses
from andon.project import project
from andon.recorded.archive import SHARDS
from andon.runtime import strict_json
from andon.runtime.errors import NotFound
from andon.stores.drift.store import QUEUE, RECOMPUTED
from andon.wire.queue import RECOMPUTE, beside, name_of, send_all

# Parameters of the routes of the store of drift.

_ViewName = Annotated[
    str,
    StringConstraints(pattern="^[a-z][a-z0-9_]{0,63}$"),
    Path(alias="view", description=f"The name of a view, such as `{project().example_view}`."),
]


app = HttpApi()
handler = app.handler


class Recomputation(TypedDict):
    """An accepted request: a view, in so many parts."""

    view: str
    shards: int


@app.serves("POST /drift/{view}", groups=project().groups.admins, responses=responses(Recomputation, 202, 404))
def post_recomputation(view: _ViewName) -> Response:
    """Compare all rows of a view with a projection of its events; `GET /drift` lists differences, which are repaired.

    What could be on its way is looked at again a quarter of an hour later. A retry asks twice, which is harmless.
    """
    if view not in os.environ[RECOMPUTED].split(","):
        raise NotFound("There is no such view.")
    url = beside(os.environ[QUEUE], name_of(view, RECOMPUTE))
    shards = send_all(url, (strict_json.dumps(RecomputeWork(shard=shard)) for shard in range(SHARDS)))
    return respond(HTTPStatus.ACCEPTED, Recomputation(view=view, shards=shards))

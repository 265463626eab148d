"""Parameters of the routes of replays."""

from typing import Annotated, Final, NotRequired, TypedDict

from pydantic import StringConstraints

from andon.http.derived import Default
from andon.http.parameters import Path
from andon.http.said import First, Last
from andon.project import project
from andon.recorded.resend import ID_PATTERN
from andon.runtime.marks import Bounds, Says

ReplayId = Annotated[
    str, StringConstraints(pattern=ID_PATTERN), Path(alias="id", description="The `id` of the replay.")
]


# Bodies of the requests for replays.

_DEFAULT_RATE: Final = 500
_MAX_RATE: Final = 1000

_Between = TypedDict("_Between", {"from": NotRequired[First], "to": NotRequired[Last]})


class ReplayBody(_Between):
    """To which view, and which hours of the lake: times, or dates, which are whole days of UTC. Both are inclusive.

    Without `from` and `to` it is the whole lake, which a rebuild needs: a row is made of all its facts. rate: events a
    second, at most.
    """

    view: Annotated[str, Bounds(1, 64), Says(project().example_view, "no")]
    rate: Annotated[int, Bounds(1, _MAX_RATE), Default(_DEFAULT_RATE)]

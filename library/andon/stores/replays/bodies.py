"""Bodies of the requests for replays."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import schemas
from andon.http.models import RequestModel
from andon.project import project
from andon.runtime import times

DEFAULT_RATE: Final = 500
MAX_RATE: Final = 1000

_SCHEMA: Final = WithJsonSchema({**schemas.TIME_OR_DATE, "examples": ["2026-11-21"]})

First = Annotated[str, AfterValidator(times.first_of), _SCHEMA]
Last = Annotated[str, AfterValidator(times.last_of), _SCHEMA]


class ReplayBody(RequestModel):
    """To which view, and which hours of the lake: times, or dates, which are whole days of UTC. Both are inclusive.

    Without `from` and `to` it is the whole lake, which a rebuild needs: a row is made of all its facts. rate: events a
    second, at most.
    """

    view: Annotated[
        str, Field(min_length=1, max_length=64, examples=[project().example_view], json_schema_extra=schemas.IMPERSONAL)
    ]
    first: Annotated[First | None, Field(alias="from")] = None
    last: Annotated[Last | None, Field(alias="to")] = None
    rate: Annotated[int, Field(ge=1, le=MAX_RATE)] = DEFAULT_RATE

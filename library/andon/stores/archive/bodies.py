"""Bodies of the archive's requests."""

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from andon.http import schemas
from andon.http.models import RequestModel
from andon.runtime import times


class RehydrationBody(RequestModel):
    """From when to when: times, or dates, which are whole days of UTC. Both are inclusive."""

    first: Annotated[
        str,
        AfterValidator(times.first_of),
        WithJsonSchema({**schemas.TIME_OR_DATE, "examples": ["2026-11-21"]}),
        Field(alias="from"),
    ]
    last: Annotated[
        str,
        AfterValidator(times.last_of),
        WithJsonSchema({**schemas.TIME_OR_DATE, "examples": ["2026-11-21"]}),
        Field(alias="to"),
    ]

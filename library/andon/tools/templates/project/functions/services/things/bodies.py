"""Bodies and parameters of its requests and responses."""

from typing import Annotated

from pydantic import AfterValidator, Field

from andon.http import schemas
from andon.http.fields import Line
from andon.http.models import RequestModel, ResponseModel
from andon.http.parameters import Path, described
from andon.runtime import texts

ThingId = Annotated[
    str,
    AfterValidator(texts.word),
    described(schemas.WORD | schemas.IMPERSONAL, "thing-1"),
    Path(alias="id", description="Chosen by the client."),
]


class ThingBody(RequestModel):
    """Where it is."""

    place: Line = Field(examples=["north"], json_schema_extra=schemas.IMPERSONAL)


class ThingResponse(ResponseModel):
    """Where it is, and the version to name in If-Match."""

    id: str
    place: str
    version: int

"""Bodies and parameters of requests about an inspection, and of their responses."""

from typing import Annotated

from pydantic import AfterValidator, Field

from andon.http import schemas
from andon.http.fields import Line
from andon.http.models import RequestModel, ResponseModel
from andon.http.parameters import Path, described
from andon.runtime import texts

InspectionOf = Annotated[
    str, AfterValidator(texts.word), described(schemas.WORD | schemas.IMPERSONAL, "thing-1"), Path(alias="id")
]


class InspectionBody(RequestModel):
    """What is noted."""

    note: Line = Field(examples=["as new"], json_schema_extra=schemas.MAY_NAME_SOMEBODY)


class InspectionResponse(ResponseModel):
    """What is noted, and the version to name in If-Match."""

    about: str
    note: str
    version: int

"""Bodies and parameters of people's requests and responses."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from andon.dynamodb.client import MOST_READ_AT_ONCE
from andon.http.fields import Line, Word
from andon.http.models import RequestModel, ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Query, described
from andon.http.schemas import IMPERSONAL, PERSONAL
from contract import people

_ID: Final = people.PERSON_PATTERN.removeprefix("^").removesuffix("$")


def _ids(text: str) -> str:
    ids = text.split(",")
    if len(ids) > MOST_READ_AT_ONCE:
        raise ValueError(f"must be at most {MOST_READ_AT_ONCE} ids")
    for one in ids:
        people.person_id(one)
    return text


PersonIds = Annotated[
    str,
    AfterValidator(_ids),
    described({"type": "string", "pattern": f"^{_ID}(?:,{_ID}){{0,{MOST_READ_AT_ONCE - 1}}}$"}, "op-17,op-18"),
    Query(description=f"Ids, separated by commas: {MOST_READ_AT_ONCE} at most."),
]


class PersonBody(RequestModel):
    """A person: the name that others read, and the factory where they work."""

    name: Line = Field(examples=["Ana López"], json_schema_extra=PERSONAL)
    factoryId: Word = Field(examples=["gdl-1"], json_schema_extra=IMPERSONAL)  # noqa: N815  the contract's name


class PersonResponse(ResponseModel):
    """A person; `changedAt` is fixed-width UTC. Of one who was erased there are `id` and `erased` alone."""

    id: str
    version: int | Absent = None
    name: str | Absent = None
    factoryId: str | Absent = None  # noqa: N815
    changedAt: str | Absent = None  # noqa: N815
    changedBy: str | Absent = None  # noqa: N815
    erased: Literal[True] | Absent = None


class PeopleResponse(ResponseModel):
    """People in the order in which they were asked for."""

    items: list[PersonResponse]


class PeoplePage(PeopleResponse):
    """A page of people; a missing cursor is the end."""

    cursor: str | Absent = None

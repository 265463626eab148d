"""HTTP parameters that several packages take, with what makes them valid. Listeners and triggers do not import this."""

import re
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from contract import locations, names, schemas, times
from contract.schemas import Schema
from patterns.http.page import DEFAULT_LIMIT, MAX_LIMIT

_IF_MATCH = re.compile(r'"([1-9][0-9]{0,14})"', re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_LIMIT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


def _version(text: str) -> int:
    """Read one strong, quoted version; `*`, weak and listed tags are not for a change that must be sure."""
    match = _IF_MATCH.fullmatch(text)
    if match is None:
        raise ValueError('must be one quoted version such as "3"')
    return int(match[1])


def _number(text: str) -> int:
    """Read it strictly: int() would also take 1_0 and spaces."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("must be a whole number from 1 to 999999999")
    return int(text)


def _limit(text: str) -> int:
    """Read it strictly: int() would also take 1_0 and spaces."""
    if not _LIMIT.fullmatch(text) or int(text) > MAX_LIMIT:
        raise ValueError(f"must be a whole number from 1 to {MAX_LIMIT}")
    return int(text)


def _as(schema: Schema, example: object = None, **more: object) -> WithJsonSchema:
    """Say how a parameter looks; what Powertools says by itself knows nothing of the functions that validate."""
    return WithJsonSchema(schema | more | ({} if example is None else {"examples": [example]}))


EquipmentId = Annotated[
    str,
    AfterValidator(names.identifier),
    _as(schemas.IDENTIFIER, "press-7"),
    Path(alias="id", description="Chosen by the client."),
]
FactoryId = Annotated[
    str,
    AfterValidator(names.identifier),
    _as(schemas.IDENTIFIER, "gdl-1"),
    Path(alias="factoryId", description="As equipment names it."),
]
Operator = Annotated[str, AfterValidator(names.identifier), _as(schemas.IDENTIFIER, "Liz"), Path()]
Supervisor = Annotated[str, AfterValidator(names.identifier), _as(schemas.IDENTIFIER, "Sara"), Path()]
State = Annotated[
    str,
    AfterValidator(names.state),
    _as(schemas.STATE, "WARNING1"),
    Path(description="What the equipment reported."),
]
Timestamp = Annotated[
    str,
    AfterValidator(times.normalised),
    _as(schemas.TIME, "2026-11-21T09:35:00Z"),
    Path(description="ISO 8601; without an offset it is UTC."),
]

IfMatch = Annotated[
    int | None,
    BeforeValidator(_version),
    _as(schemas.VERSION, '"3"'),
    Header(alias="If-Match", description='The version that is changed, quoted: `"3"`.'),
]
IfNoneMatch = Annotated[
    str | None,
    _as(schemas.TEXT, '"3"'),
    Header(alias="If-None-Match", description="Versions that the client has, quoted: 304 if it is one of them."),
]
AsOf = Annotated[
    str | None,
    AfterValidator(times.normalised),
    _as(schemas.TIME, "2026-11-21T09:35:00Z"),
    Query(alias="asOf", description="A time: what was current then."),
]
Part = Annotated[
    str,
    AfterValidator(names.part),
    _as(schemas.PART, "hydraulics"),
    Path(description="A part of the equipment; `_` is the whole."),
]
Version = Annotated[
    int, BeforeValidator(_number), _as(schemas.NUMBER, 1), Path(alias="n", description="Counted from 1.")
]
From = Annotated[
    str | None,
    AfterValidator(times.first_of),
    _as(schemas.TIME_OR_DATE, "2026-11-21"),
    Query(alias="from", description="A time, or a date: from its beginning. Inclusive."),
]
To = Annotated[
    str | None,
    AfterValidator(times.last_of),
    _as(schemas.TIME_OR_DATE, "2026-11-21"),
    Query(alias="to", description="A time, or a date: to its end. Inclusive."),
]
Limit = Annotated[
    int,
    BeforeValidator(_limit),
    _as(schemas.NUMBER, maximum=MAX_LIMIT, default=DEFAULT_LIMIT),
    Query(description="Items a page, at most."),
]
Company = Annotated[str, AfterValidator(locations.part), _as(schemas.LOCATION_PART, "Acme"), Path()]
LocationFilter = Annotated[
    str | None,
    _as(schemas.LOCATION, "MX/West"),
    Query(description="A place within the company, from the country down, parts separated by `/`."),
]
StateFilter = Annotated[
    str | None,
    AfterValidator(names.state_filter),
    _as(schemas.STATE_FILTER, "WARNING*"),
    Query(description="A state, or its beginning and a `*`."),
]
Day = Annotated[
    str | None,
    AfterValidator(times.date),
    _as(schemas.DATE, "2026-11-21"),
    Query(description="A date; needs an exact `state`."),
]
Cursor = Annotated[
    str | None,
    _as(schemas.TEXT),
    Query(description="Where to go on: the `cursor` of the page before."),
]

"""HTTP parameters that several packages take, with what makes them valid. Listeners and triggers do not import this."""

import re
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from contract import locations, names, times
from patterns.paging import MAX_LIMIT

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


_ID_SCHEMA = {"type": "string", "minLength": 1, "maxLength": names.MAX_ID_CHARACTERS, "pattern": "^[^/]+$"}

EquipmentId = Annotated[
    str,
    AfterValidator(names.identifier),
    WithJsonSchema(_ID_SCHEMA),
    Path(alias="id", description="Chosen by the client.", example="press-7"),
]
Operator = Annotated[str, AfterValidator(names.identifier), WithJsonSchema(_ID_SCHEMA), Path(example="Liz")]
Supervisor = Annotated[str, AfterValidator(names.identifier), WithJsonSchema(_ID_SCHEMA), Path(example="Sara")]
State = Annotated[
    str,
    AfterValidator(names.state),
    WithJsonSchema({"type": "string", "pattern": names.STATE_PATTERN}),
    Path(description="What the equipment reported.", example="WARNING1"),
]
Timestamp = Annotated[
    str,
    AfterValidator(times.normalised),
    WithJsonSchema({"type": "string", "format": "date-time"}),
    Path(description="ISO 8601; without an offset it is UTC.", example="2026-11-21T09:35:00Z"),
]

IfMatch = Annotated[
    int | None,
    BeforeValidator(_version),
    WithJsonSchema({"type": "string", "pattern": f"^{_IF_MATCH.pattern}$"}),
    Header(alias="If-Match", description='The version that is changed, quoted: `"3"`.', example='"3"'),
]
IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", description="Versions that the client has, quoted: 304 if it is one of them."),
]
AsOf = Annotated[
    str | None,
    AfterValidator(lambda text: text and times.normalised(text)),
    Query(alias="asOf", description="A time: what was current then.", example="2026-11-21T09:35:00Z"),
]
Part = Annotated[
    str,
    AfterValidator(names.part),
    WithJsonSchema(_ID_SCHEMA | {"pattern": "^[^/#]+$"}),
    Path(description="A part of the equipment; `_` is the whole.", example="hydraulics"),
]
Version = Annotated[
    int,
    BeforeValidator(_number),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 999_999_999}),
    Path(alias="n", description="Counted from 1.", example=1),
]
From = Annotated[
    str | None,
    AfterValidator(lambda text: text and times.first_of(text)),
    Query(alias="from", description="A time, or a date: from its beginning. Inclusive."),
]
To = Annotated[
    str | None,
    AfterValidator(lambda text: text and times.last_of(text)),
    Query(alias="to", description="A time, or a date: to its end. Inclusive."),
]
Limit = Annotated[int, BeforeValidator(_limit), Query(description="Rows a page.", ge=1, le=MAX_LIMIT)]
Company = Annotated[
    str, AfterValidator(locations.part), WithJsonSchema(_ID_SCHEMA | {"pattern": "^[^/#]+$"}), Path(example="Acme")
]
LocationFilter = Annotated[
    str | None,
    Query(description="A place within the company, from the country down, parts separated by `/`.", example="MX/West"),
]
StateFilter = Annotated[
    str | None,
    AfterValidator(lambda text: text and names.state_filter(text)),
    Query(description="A state, or its beginning and a `*`.", example="WARNING*"),
]
Day = Annotated[
    str | None,
    AfterValidator(lambda text: text and times.date(text)),
    Query(description="A date; needs an exact `state`.", example="2026-11-21"),
]
Cursor = Annotated[str | None, Query(description="Where to go on: the `cursor` of the page before.")]

"""HTTP parameters, and those that several packages take, with their validation. No listener or trigger imports it."""

import re
from functools import partial
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, PlainValidator, WithJsonSchema

from andon.http import models
from andon.http.etag import IF_MATCH_PATTERN, version_or_tags
from andon.http.models import Schema
from andon.http.page import DEFAULT_LIMIT, MAX_LIMIT
from andon.runtime import times

_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_LIMIT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


class Parameter(NamedTuple):
    """The part of a request that has a parameter, its name there, and its description in the OpenAPI document.

    alias: None: it has the name of the function's argument.
    """

    part: Literal["path", "query", "header"]
    alias: str | None = None
    description: str | None = None


Path: Final = partial(Parameter, "path")
Query: Final = partial(Parameter, "query")
Header: Final = partial(Parameter, "header")
"""Of an argument's annotation, as `Annotated[str, Path(alias="id")]`; an argument without one is the request's body."""


def _number(text: str) -> int:
    """Return the number, read strictly: int() would also take 1_0 and spaces."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("must be a whole number from 1 to 999999999")
    return int(text)


def _limit(text: str) -> int:
    """Return the number, read strictly: int() would also take 1_0 and spaces."""
    if not _LIMIT.fullmatch(text) or int(text) > MAX_LIMIT:
        raise ValueError(f"must be a whole number from 1 to {MAX_LIMIT}")
    return int(text)


def described(schema: Schema, example: object = None, **more: object) -> WithJsonSchema:
    """Return the schema of a parameter; nothing can derive it from the functions that validate."""
    return WithJsonSchema(schema | more | ({} if example is None else {"examples": [example]}))


Timestamp = Annotated[
    str,
    AfterValidator(times.said),
    described(models.TIME, "2026-11-21T09:35:00Z"),
    Path(description="ISO 8601; without an offset it is UTC."),
]

IfMatch = Annotated[
    int | None,
    PlainValidator(version_or_tags),  # `HttpApi` makes a version of what it is besides
    described({"type": "string", "pattern": f"^(?:{IF_MATCH_PATTERN})$"}, '"3"'),
    Header(
        alias="If-Match",
        description='The version that the change is based on, quoted: `"3"`; one of several; or `*`, the current one.',
    ),
]
IfNoneMatch = Annotated[
    str | None,
    described(models.TEXT, '"3"'),
    Header(alias="If-None-Match", description="Versions that the client has, quoted; 304 if one is current."),
]
AsOf = Annotated[
    str | None,
    AfterValidator(times.normalised),
    described(models.TIME, "2026-11-21T09:35:00Z"),
    Query(alias="asOf", description="A time; returns what was so then."),
]
KnownAt = Annotated[
    str | None,
    AfterValidator(times.normalised),
    described(models.TIME, "2026-11-21T09:35:00Z"),
    Query(alias="knownAt", description="A time; what was recorded later does not count. Without it all counts."),
]
Version = Annotated[
    int, BeforeValidator(_number), described(models.NUMBER, 1), Path(alias="n", description="Counted from 1.")
]
From = Annotated[
    str | None,
    AfterValidator(times.first_of),
    described(models.TIME_OR_DATE, "2026-11-21"),
    Query(alias="from", description="A time, or a date, which begins at midnight UTC. Inclusive."),
]
To = Annotated[
    str | None,
    AfterValidator(times.last_of),
    described(models.TIME_OR_DATE, "2026-11-21"),
    Query(alias="to", description="A time, or a date, which ends with its last millisecond. Inclusive."),
]
Beginning = Annotated[
    str,
    AfterValidator(times.first_of),
    described(models.TIME_OR_DATE, "2026-11-21"),
    Query(alias="from", description="A time, or a date, which begins at midnight UTC. Inclusive, and needed."),
]
End = Annotated[
    str,
    AfterValidator(times.last_of),
    described(models.TIME_OR_DATE, "2026-11-21"),
    Query(alias="to", description="A time, or a date, which ends with its last millisecond. Inclusive, and needed."),
]
Limit = Annotated[
    int,
    BeforeValidator(_limit),
    described(models.NUMBER, maximum=MAX_LIMIT, default=DEFAULT_LIMIT),
    Query(description="Items per page, at most."),
]
Day = Annotated[
    str | None,
    AfterValidator(times.date),
    described(models.DATE, "2026-11-21"),
    Query(description="A date; needs an exact `state`."),
]
After = Annotated[
    str | None,
    described(models.TEXT),
    Query(alias="after", description="The `x-after` of a write: the response is not older than that, or 202."),
]
Cursor = Annotated[str | None, described(models.TEXT), Query(description="The `cursor` of the page before.")]

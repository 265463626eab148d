"""Parameters and responses of the routes of the store of drift."""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from andon.http.parameters import Path
from andon.project import project

ViewName = Annotated[
    str,
    StringConstraints(pattern="^[a-z][a-z0-9_]{0,63}$"),
    Path(alias="view", description=f"The name of a view, such as `{project().example_view}`."),
]


class DifferingResponse(ResponseModel):
    """An attribute as it was and as it should have been; null: it is not there."""

    found: Any
    expected: Any


class FindingResponse(ResponseModel):
    """A row that differed from its events.

    kinds: `values`: it said something else of the same events. `ahead`: it had an order that lies ahead of all clocks.
    `ttl`: it would have expired too early or too late. `missing`: it had not seen an event. `unknown`: it had seen one
    that the lake does not have. repair: by which writes it was ended; `unknown` is not.
    """

    id: str
    timestamp: str
    view: str
    key: dict[str, str]
    kinds: list[Literal["values", "ahead", "ttl", "missing", "unknown"]]
    fields: dict[str, DifferingResponse]
    repair: Literal["oplock", "compare-and-set", "none"]


class FindingsResponse(ResponseModel):
    """A page of findings, newest first; a missing cursor is the end."""

    items: list[FindingResponse]
    cursor: str | Absent = None


class RecomputationResponse(ResponseModel):
    """What was asked for: a view, in so many parts."""

    view: str
    shards: int

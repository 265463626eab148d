"""Base classes of the pydantic models of requests and responses."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from andon.runtime.errors import FieldError

MOST_UNKNOWN = 100
"""Unknown members that a refusal names one by one; each costs, and half a megabyte has room for tens of thousands."""

NOT_A_MODEL: Final = frozenset({"model_type", "model_attributes_type"})
"""Pydantic's types of the error that a value is no object; the second one where it may take attributes, too."""


class RequestModel(BaseModel):
    """Body of a request: without unknown members, and without values of another type.

    Its validator is built at first use: a process seldom serves all routes of its package.
    """

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_members(cls, body: Any) -> Any:  # noqa: ANN401  any JSON
        """Count the members before each of them is looked at."""
        if isinstance(body, dict) and len(body) > len(cls.model_fields) + MOST_UNKNOWN:
            raise ValueError(f"must have at most {len(cls.model_fields)} members, not {len(body)}")
        return body


class ResponseModel(BaseModel):
    """Response in the OpenAPI document. No request needs its validator, so that none is built."""

    model_config = ConfigDict(defer_build=True)


def fields_of(errors: Iterable[Mapping[str, Any]], *, below: str = "") -> tuple[FieldError, ...]:
    """Return pydantic's errors as offending fields; `below` comes before their places."""
    first = (below,) if below else ()
    return tuple(FieldError(".".join(map(str, (*first, *one["loc"]))), _detail_of(one)) for one in errors)


def _detail_of(error: Mapping[str, Any]) -> str:
    if error["type"] in NOT_A_MODEL:  # its words name our class, or how else one could be made
        return "must be an object"
    detail: str = error["msg"]
    return detail.removeprefix("Value error, ")

"""Base classes of the pydantic models of requests and responses."""

from pydantic import BaseModel, ConfigDict


class RequestModel(BaseModel):
    """Body of a request: without unknown members, and without values of another type.

    Its validator is built at first use: a process seldom serves all routes of its package.
    """

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class ResponseModel(BaseModel):
    """Response in the OpenAPI document. No request needs its validator, so that none is built."""

    model_config = ConfigDict(defer_build=True)

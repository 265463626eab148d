"""What pydantic models of requests and responses have in common."""

from pydantic import BaseModel, ConfigDict


class RequestModel(BaseModel):
    """What a client sends: nothing unknown in it, and nothing of another type.

    Its validator is built at first use: a process seldom serves all routes of its package.
    """

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class ResponseModel(BaseModel):
    """What the OpenAPI document says of a response. No request needs it, so that none builds its validator."""

    model_config = ConfigDict(defer_build=True)

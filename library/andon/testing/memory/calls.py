"""A call of an AWS operation, and the ways in which it fails."""

from typing import Any, NamedTuple

from andon.runtime.json_types import JsonObject

Answer = JsonObject


class Call(NamedTuple):
    """service: as boto3 names it. operation: as AWS does, `PutItem`."""

    service: str
    operation: str
    request: JsonObject


class AwsRefused(Exception):
    """AWS answers with an error; members: those beside its code and its message."""

    def __init__(self, code: str, *, message: str = "no", status: int = 400, **members: Any) -> None:  # noqa: ANN401
        super().__init__(code)
        self.code, self.message, self.status, self.members = code, message, status, members


class Lost(Exception):
    """AWS did it, and its answer was lost on the way."""


def invalid(message: str) -> AwsRefused:
    """Return the error of a request that can never succeed."""
    return AwsRefused("ValidationException", message=message)

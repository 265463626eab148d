"""Responses without a network and without a client: what stands in for `aws.call`."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from patterns.runtime import aws


class Call(Protocol):
    """What `aws.call` is."""

    def __call__(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Make one request and return the response."""


class InsteadOfAws:
    """While the context lasts, a query finds what is `stored` in its partition, a write does nothing; it counts."""

    def __init__(self, stored: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        self.requests = 0
        self._stored = stored
        self._call: Call = aws.call

    def __enter__(self) -> Self:
        self._call, aws.call = aws.call, self.call
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        aws.call = self._call

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Respond as AWS does."""
        self.requests += 1
        match operation:
            case "query":
                return {"Items": self._stored[request["ExpressionAttributeValues"][":p"]["S"]]}
            case "put_events":
                return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}] * len(request["Entries"])}
        return {}

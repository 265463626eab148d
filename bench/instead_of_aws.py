"""What stands in for `aws.call`, or between it and our code."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from andon.wire import aws


class Call(Protocol):
    """What `aws.call` is."""

    def __call__(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Make one request and return the response."""


class InPlaceOfCall:
    """While the context lasts, `call` is called instead of `aws.call`, which is `aws_call`."""

    def __init__(self) -> None:
        self.aws_call: Call = aws.call

    def __enter__(self) -> Self:
        self.aws_call, aws.call = aws.call, self.call
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        aws.call = self.aws_call

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Make one request and return the response."""
        return self.aws_call(service, operation, **request)


class InsteadOfAws(InPlaceOfCall):
    """Without a network and a client: a query finds what is `stored` in its partition, a write does nothing."""

    def __init__(self, stored: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        super().__init__()
        self.requests = 0
        self._stored = stored

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Count, and respond as AWS does."""
        self.requests += 1
        match operation:
            case "query":
                return {"Items": self._stored[request["ExpressionAttributeValues"][":p"]["S"]]}
            case "put_events":
                return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}] * len(request["Entries"])}
        return {}

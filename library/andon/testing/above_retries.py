"""Between our code and its calls to AWS, above all retries: a test sees each call once, and may answer it itself."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

from andon.testing.memory.hook import Answer, Call
from andon.wire import aws

Pass = Callable[[], Answer]
Between = Callable[[Call, Pass], Answer]
"""A call, and what makes it -> its answer."""


@contextmanager
def between(do: Between) -> Iterator[None]:
    """Have `do` answer all calls to AWS, whatever the wire is."""
    real = aws.call

    def call(service: str, operation: str, **request: Any) -> Answer:  # noqa: ANN401  requests are any JSON
        made = Call(service, _as_aws_writes(operation), request)
        return do(made, lambda: real(service, operation, **made.request))

    with patch.object(aws, "call", call):
        yield


@cache
def _as_aws_writes(operation: str) -> str:
    return "".join(word.capitalize() for word in operation.split("_"))

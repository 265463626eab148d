"""Both wires between our code and AWS, one after the other, at an endpoint of ours."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import pytest

from andon.runtime.errors import CallFailed
from andon.wire import aws, retries

BOTH: Final = (aws.LIBCURL, aws.BOTOCORE)

KEY: Final = "AKIDOFNOBODY"
SECRET: Final = "wJalr/secret+OfNobody="  # noqa: S105  nobody's
TOKEN: Final = "token//of+nobody=="  # noqa: S105

_ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_SESSION_TOKEN": TOKEN,
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    "NO_PROXY": "*",
}


@contextmanager
def connected(wire: str, endpoint: str, **variables: str) -> Iterator[None]:
    """Send requests over a wire to an endpoint."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {**_ENVIRONMENT, "AWS_WIRE": wire, "AWS_ENDPOINT_URL": endpoint, **variables}.items():
            environment.setenv(name, value)
        environment.setattr(retries, "QUOTA", retries.RetryQuota())
        aws.forget()
        yield
    aws.forget()


@contextmanager
def over(wire: str) -> Iterator[None]:
    """Send requests over another wire."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_WIRE", wire)
        aws.forget()
        yield
    aws.forget()


def outcome_of(do: Callable[[], object]) -> Any:  # noqa: ANN401  it is to be compared
    """Return the result of a call, or its error: the type, the code, and the rows that came with it."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001  an outcome, too
        return {"raised": type(error).__name__, **_members(error)}


def _members(error: Exception) -> Mapping[str, object]:
    members = {name: getattr(error, name) for name in ("row", "failed") if hasattr(error, name)}
    if isinstance(error, CallFailed):
        said = {name: error.response.get(name) for name in ("Error", "Item", "CancellationReasons")}
        return {**members, "code": error.code, **said}
    return members

"""The environment of handlers in this process."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from andon.project import project
from andon.runtime import clock
from andon.wire import aws
from andon.wire.queue import OWN

REGION: Final = "us-east-1"
ACCOUNT: Final = "000000000000"
BUS: Final = "andon"

QUICK: Final = "ANDON_QUICK"
"""The environment variable of a quick run, whose laws look at fewer examples."""

ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_WIRE": aws.LIBCURL,
    "BUS_NAME": BUS,
    OWN: "Local-own-Queue",
    "STAGE": "local",
    "LIVE_ROOT": project().name,
    "LIVE_ROLE_ARN": f"arn:aws:iam::{ACCOUNT}:role/browser",
    "POWERTOOLS_SERVICE_NAME": "local",
    "POWERTOOLS_METRICS_NAMESPACE": project().name,
    # What a page is told of its deployment; nobody signs in here.
    "ISSUER": f"https://cognito-idp.{REGION}.amazonaws.com/{REGION}_local",
    "CLIENT_ID": "people",
    "WALL_CLIENT_ID": "walls",
    "SIGN_IN_ORIGIN": "https://sign-in.example",
    "LIVE_ORIGIN": "wss://live.example",
}


def is_quick() -> bool:
    """Return True if this is a quick run."""
    return QUICK in os.environ


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables, and choose and connect to AWS anew; all of it is as before afterwards."""
    before = dict(os.environ)
    os.environ.update(variables)
    aws.forget()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        aws.forget()


@contextmanager
def frozen_clock(now_ms: int) -> Iterator[None]:
    """Stop the clock of all handlers at `now_ms`."""
    real = clock.now_ms
    clock.now_ms = lambda: now_ms
    try:
        yield
    finally:
        clock.now_ms = real


# The context that Lambda passes to a handler.


@dataclass(frozen=True, slots=True)
class LocalContext:
    """The part of Lambda's context that the handlers use."""

    function_name: str
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        """Time that the invocation may still take: here there is no limit."""
        return 60_000

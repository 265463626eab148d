"""boto3's clients, as a Lambda wants them, and botocore's errors -> ours."""

from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from patterns.runtime import clock
from patterns.runtime.aws import BEGUN_BY_MS, CONNECT_SECONDS, READ_SECONDS
from patterns.runtime.errors import CallFailed

ERRORS: Final = (BotoCoreError, ClientError)
"""What botocore raises when AWS refuses a request or does not respond."""

# Fail fast enough that a retry still fits into the function's timeout; keep sockets open between invocations.
CONFIG: Final = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=CONNECT_SECONDS,
    read_timeout=READ_SECONDS,
    tcp_keepalive=True,
    max_pool_connections=16,
    # Measured (`make bench`): without these two lines a call costs half as much CPU again, for a long User-Agent that
    # is built for every request, and for checks of parameters that AWS makes anyway.
    user_agent=f"Boto3/{boto3.__version__}",
    parameter_validation=False,
)


def create(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Create a client of an AWS service."""
    client = boto3.client(service, config=CONFIG)
    client.meta.events.register("request-created", _require_in_time)
    return client


def _require_in_time(**_: object) -> None:
    """Raise `CallFailed` if an attempt, the first or a retry, begins later than `begun_by` allows."""
    by_ms = BEGUN_BY_MS.get()
    if by_ms is not None and clock.now_ms() > by_ms:
        raise CallFailed("BegunTooLate")


def failure_of(error: Exception) -> CallFailed:
    """Return our error for one of `ERRORS`."""
    if isinstance(error, ClientError):
        return CallFailed(str(error.response.get("Error", {}).get("Code", "")), error.response)
    return CallFailed(type(error).__name__)

"""boto3's clients, as a Lambda wants them, and botocore's errors -> ours."""

from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from patterns.runtime.errors import CallFailed

ERRORS: Final = (BotoCoreError, ClientError)
"""What botocore raises when AWS refuses a request or does not respond."""

# Fail fast enough that a retry still fits into the function's timeout; keep sockets open between invocations.
CONFIG: Final = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=2,
    read_timeout=6,
    tcp_keepalive=True,
    max_pool_connections=16,
    # Measured (`make bench`): without these two lines a call costs half as much CPU again, for a long User-Agent that
    # is built for every request, and for checks of parameters that AWS makes anyway.
    user_agent=f"Boto3/{boto3.__version__}",
    parameter_validation=False,
)


def create(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Create a client of an AWS service."""
    return boto3.client(service, config=CONFIG)


def failure_of(error: Exception) -> CallFailed:
    """Return our error for one of `ERRORS`."""
    if isinstance(error, ClientError):
        return CallFailed(str(error.response.get("Error", {}).get("Code", "")), error.response)
    return CallFailed(type(error).__name__)

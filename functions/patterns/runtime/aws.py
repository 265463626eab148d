"""The AWS clients, one of each per process."""

import gc
import os
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

# Fail fast enough that a retry still fits into the function's timeout; keep sockets open between invocations.
CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=2,
    read_timeout=6,
    tcp_keepalive=True,
    max_pool_connections=16,
    # Measured (`make bench`): without these two a call costs half as much CPU again. botocore would write a long
    # User-Agent anew for every request, and check every parameter that AWS checks as well.
    user_agent=f"Boto3/{boto3.__version__}",
    parameter_validation=False,
)


@cache
def client(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Give the process's client of an AWS service; boto3 clients are thread-safe."""
    return boto3.client(service, config=CONFIG)


def code_of(error: ClientError) -> str:
    """Give the code by which AWS names an error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def name_of(error: Exception) -> str:
    """Name an error without its words, which may quote a message: AWS's own code, or its type."""
    return code_of(error) if isinstance(error, ClientError) else type(error).__name__


# Lambda gives a function's whole CPU to its initialisation, whatever its memory: what is made there costs no request.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    client("dynamodb")
    # All that boto3 brought stays: no collection is to look through it again, neither in a cold start nor later.
    gc.freeze()

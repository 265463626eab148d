"""boto3's clients, configured for Lambda, and botocore's errors -> ours."""

from collections.abc import Callable
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.wire.deadline import longest_ms, require_in_time

# Keep sockets open between invocations.
CONFIG: Final = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    tcp_keepalive=True,
    max_pool_connections=16,
    # Measured (`make bench`): without these two lines a call costs half as much CPU again, for a long User-Agent that
    # is built for every request, and for checks of parameters that AWS makes anyway.
    user_agent=f"Boto3/{boto3.__version__}",
    parameter_validation=False,
)


def create(service: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Create a client of an AWS service; it gives up fast enough that a retry fits into the handler's time."""
    timeouts = Config(connect_timeout=longest_ms() / 1000 / 4, read_timeout=longest_ms() / 1000 * 3 / 4)
    client = boto3.client(service, config=CONFIG.merge(timeouts))
    client.meta.events.register("request-created", lambda **_: require_in_time())
    return client


def call(client: Callable[[], Any], operation: str, request: JsonMapping) -> JsonObject:
    """Make one request by a client, as `aws.call` does."""
    try:
        response: JsonObject = getattr(client(), operation)(**request)
    except ClientError as error:
        raise CallFailed(str(error.response.get("Error", {}).get("Code", "")), error.response) from error
    except BotoCoreError as error:
        raise CallFailed(type(error).__name__) from error
    return response

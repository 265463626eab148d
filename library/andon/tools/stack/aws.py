"""boto3 clients that can only ever talk to the emulator."""

from functools import cache
from typing import Any, Final

import boto3
from botocore.config import Config

ACCOUNT: Final = "000000000000"
REGION: Final = "us-east-1"
KEY: Final = "test"  # what the emulator takes for both halves of a credential

# A proxy of the environment is not asked for 127.0.0.1.
_CONFIG: Final = Config(proxies={}, retries={"total_max_attempts": 2}, connect_timeout=5, read_timeout=60)


@cache  # to make one takes as long as ten requests
def client(service: str, endpoint: str) -> Any:  # noqa: ANN401  boto3's clients are made at run time
    """Return a client of `service` at `endpoint`, whatever account the person's own environment points to."""
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=KEY,
        aws_secret_access_key=KEY,
        config=_CONFIG,
    )

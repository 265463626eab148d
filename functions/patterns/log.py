"""One JSON line per invocation: ids and outcomes, never bodies."""

from functools import cache

from aws_lambda_powertools import Logger


@cache
def logger() -> Logger:
    """Give the process's logger; its `service` is POWERTOOLS_SERVICE_NAME."""
    return Logger()

"""One JSON line per invocation: ids and outcomes, never bodies."""

from functools import cache

from aws_lambda_powertools import Logger


@cache
def logger() -> Logger:
    """Give the process's logger; its `service` is POWERTOOLS_SERVICE_NAME."""
    # One form of a stack trace is enough, and the place of our one call to the logger tells nothing.
    return Logger(serialize_stacktrace=False, location=None)

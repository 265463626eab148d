"""One JSON line per invocation: ids and outcomes, never bodies."""

from functools import cache

from aws_lambda_powertools import Logger


@cache
def logger() -> Logger:
    """Return the process's logger; its `service` is POWERTOOLS_SERVICE_NAME."""
    # One form of a stack trace is enough; the location is the same for every line.
    return Logger(serialize_stacktrace=False, location=None)

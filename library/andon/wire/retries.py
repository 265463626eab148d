"""Retries: the errors that lead to one, its pause, and the quota, as in the standard mode of AWS's SDKs.

https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
"""

from typing import Final, NamedTuple


class Again(NamedTuple):
    """The price of another attempt: the longest pause before the second one, which doubles, and the quota."""

    seconds: float
    quota: int


ATTEMPTS: Final = 4
AFTER_FAILURE: Final = Again(0.05, 14)
AFTER_THROTTLING: Final = Again(1.0, 5)

_FAILED_STATUSES: Final = frozenset({500, 502, 503, 504})
_THROTTLED_STATUS: Final = 429

# AWS did not respond in time.
SILENT: Final = "ReadTimeoutError"

FAILED: Final = frozenset(
    {
        "ChecksumError",
        "ConnectionClosedError",
        "EndpointConnectionError",
        "InternalServerError",
        SILENT,
        "RequestTimeout",
        "RequestTimeoutException",
        "ResponseParserError",
    }
)
THROTTLED: Final = frozenset(
    {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)

# A batch was read in part at each attempt: its table was throttled, see `Table.get_many`.
UNPROCESSED: Final = "UnprocessedKeys"


def again_after(code: str, status: int) -> Again | None:
    """Return the price of another attempt after an error; None: it would fail, too."""
    if code in THROTTLED or status == _THROTTLED_STATUS:
        return AFTER_THROTTLING
    if code in FAILED or status in _FAILED_STATUSES:
        return AFTER_FAILURE
    return None


def jitter() -> float:
    """Return a random share of a pause, so that those that failed together do not come again together."""
    import random  # noqa: PLC0415  few requests fail

    return random.random()  # noqa: S311  no secret


def is_throttled(code: str) -> bool:
    """Return True if AWS refused a request only because there were too many."""
    return code in THROTTLED or code == UNPROCESSED


class RetryQuota:
    """Bounds the retries of a process while AWS is down, so that they do not multiply its load."""

    CAPACITY: Final = 500

    def __init__(self) -> None:
        self._left = self.CAPACITY

    def take(self, quota: int) -> bool:
        """Take from the quota for a retry; return True if there was enough."""
        if self._left < quota:
            return False
        self._left -= quota
        return True

    def give_back(self, quota: int) -> None:
        """Put something back, for AWS responded: the quota of the last retry of the request, or one."""
        self._left = min(self.CAPACITY, self._left + quota)


QUOTA: Final = RetryQuota()

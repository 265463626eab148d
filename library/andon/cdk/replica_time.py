"""Most that the replica region is behind: every step from an acknowledged write to its copy."""

from typing import Final

STREAM_SECONDS: Final = 60
"""From a table to the bus; a trigger that is later is behind, and rings."""

COPY_MINUTES: Final = 15
"""S3 promises 99.9 % of a month's objects within it, by replication time control: https://aws.amazon.com/s3/sla-rtc/"""


def rpo_seconds(lake_settles_seconds: int) -> int:
    """Return the age from which on no acknowledged write is missing in the replica region."""
    return STREAM_SECONDS + lake_settles_seconds + COPY_MINUTES * 60

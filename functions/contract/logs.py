"""A log: one report of a piece of equipment, named by its natural key (equipment, state, timestamp)."""

from andon.dynamodb.ttl import is_expired, ttl_at
from andon.runtime import times
from andon.runtime.errors import Invalid

TTL_DAYS = 33
"""A log is kept for so many days after its time, as is what was decided about it, and told of it."""


def ttl_of(timestamp: str, *, now_ms: int, field: str = "path.timestamp") -> int:
    """Return the ttl (epoch seconds) of rows about a log; `field` of the request is the log's time.

    Raises:
        Invalid: the log lies more than five minutes in the future, or would have expired already.

    """
    timestamp_ms = times.to_ms(timestamp)
    ttl = ttl_at(timestamp_ms, TTL_DAYS)
    if timestamp_ms > now_ms + times.MAX_AHEAD_MS:
        raise Invalid.field(field, "lies more than five minutes in the future")
    if is_expired(ttl, now_ms):
        raise Invalid.field(field, f"is older than {TTL_DAYS} days")
    return ttl

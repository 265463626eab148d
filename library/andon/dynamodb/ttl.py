"""Expiry of rows. DynamoDB wants epoch seconds; events carry epoch milliseconds."""

from andon.dynamodb.attribute_values import Attributes

SECONDS_PER_DAY = 86_400
ATTRIBUTE = "ttl"

DATE = "ttl#date"
"""The attribute with the date until which a row is shown (epoch seconds); it is kept longer, see `OplockedFields`."""

EXPIRE = "expire"
"""The attribute of a row whose removal by the TTL service is told to its trigger: True, or the type of a fact."""

# Epoch seconds reach it in the year 5138; milliseconds have passed it in 1973.
FIRST_NO_SECONDS = 10**11


def ttl_at(timestamp_ms: int, days: int) -> int:
    """Return the epoch second at which a row about `timestamp_ms` expires, `days` later."""
    return timestamp_ms // 1000 + days * SECONDS_PER_DAY


def is_expired(ttl: int, now_ms: int) -> bool:
    """Return True if `ttl` (epoch seconds) has passed; that very second counts as passed."""
    return ttl <= now_ms // 1000


def is_kept(row: Attributes, now_ms: int) -> bool:
    """Return True if DynamoDB cannot have deleted a row yet, though readers may not see it any more."""
    return ATTRIBUTE not in row or not is_expired(row[ATTRIBUTE], now_ms)


def is_alive(row: Attributes, now_ms: int) -> bool:
    """Return True if a row has not expired; DynamoDB deletes expired rows days late, so readers must check."""
    return is_kept(row, now_ms) and (DATE not in row or not is_expired(row[DATE], now_ms))

"""Times as rows say them."""

from datetime import UTC, datetime


def utc_of(at_ms: int) -> str:
    """Return a time (epoch milliseconds) as fixed-width UTC."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime(f"%Y-%m-%dT%H:%M:%S.{at_ms % 1000:03}Z")


def ms_of(time: str) -> int:
    """Return a time with an offset, or in UTC, in epoch milliseconds."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)

"""Times and periods of time in queries."""

from typing import Final

from andon.dynamodb.schema import Between
from andon.runtime import times
from andon.runtime.errors import Invalid
from andon.versions.bitemporal import Asked

_END_OF_TIME_MS: Final = times.to_ms("9999-12-31T23:59:59.999Z")


def period(first: str, last: str) -> Between:
    """Return the sort keys from `first` to `last`.

    Raises:
        Invalid: `first` lies behind `last`, which DynamoDB would refuse.

    """
    if first > last:
        raise Invalid.field("query.from", "lies behind `to`")
    return Between(first, last)


def asked(as_of: str | None, known_at: str | None) -> Asked | None:
    """Return the times that a request asks for, None if for none; one that it leaves out is no bound."""
    if as_of is None and known_at is None:
        return None
    return Asked(*(_END_OF_TIME_MS if time is None else times.to_ms(time) for time in (as_of, known_at)))

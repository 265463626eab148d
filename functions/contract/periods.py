"""Periods of time in queries."""

from patterns.dynamodb.key_query import Between
from patterns.runtime.errors import Invalid


def period(first: str, last: str) -> Between:
    """Return the sort keys from `first` to `last`.

    Raises:
        Invalid: `first` lies behind `last`, which DynamoDB would refuse.

    """
    if first > last:
        raise Invalid.field("query.from", "lies behind `to`")
    return Between(first, last)

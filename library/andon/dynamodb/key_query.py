"""A query of one partition of a table or of an index, as a value."""

from typing import Any, NamedTuple

from andon.dynamodb.schema import Keys


class BeginsWith(NamedTuple):
    """Sort keys that start with `prefix`."""

    prefix: str


class Between(NamedTuple):
    """Sort keys from `first` to `last`, both inclusive."""

    first: str | int
    last: str | int


class LessThan(NamedTuple):
    """Sort keys before `bound`, exclusive."""

    bound: str | int


class GreaterThan(NamedTuple):
    """Sort keys behind `bound`, exclusive."""

    bound: str | int


Sort = BeginsWith | Between | LessThan | GreaterThan


def is_within(sort: Sort | None, value: Any) -> bool:  # noqa: ANN401  text or a number, as the bounds are
    """Return True if a sort key matches, as in DynamoDB: text by its UTF-8 bytes, so by its characters."""
    match sort:
        case None:
            return True
        case BeginsWith(prefix):
            return bool(value.startswith(prefix))
        case Between(first, last):
            return bool(first <= value <= last)
        case LessThan(bound):
            return bool(value < bound)
        case GreaterThan(bound):
            return bool(value > bound)


class KeyQuery(NamedTuple):
    """The rows of `partition` with a sort key that matches `sort` (None: all), newest first unless `forward`.

    has_keys_only: the index has nothing but keys, so that each row is read from the table.
    """

    keys: Keys
    partition: str
    sort: Sort | None = None
    index_name: str | None = None
    forward: bool = False
    has_keys_only: bool = False

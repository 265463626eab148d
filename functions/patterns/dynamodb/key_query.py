"""A query of one partition of a table or of an index, as a value."""

from typing import NamedTuple

from patterns.dynamodb.schema import Keys


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


class KeyQuery(NamedTuple):
    """The rows of `partition` whose sort key matches `sort` (None: all), greatest (newest) first unless `forward`."""

    keys: Keys
    partition: str
    sort: Sort | None = None
    index_name: str | None = None
    forward: bool = False

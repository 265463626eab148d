"""A query of one partition of a table or of an index, as a value."""

from dataclasses import dataclass

from patterns.dynamodb.schema import Keys


@dataclass(frozen=True, slots=True)
class BeginsWith:
    """Sort keys that start with `prefix`."""

    prefix: str


@dataclass(frozen=True, slots=True)
class Between:
    """Sort keys from `first` to `last`, both inclusive."""

    first: str | int
    last: str | int


@dataclass(frozen=True, slots=True)
class LessThan:
    """Sort keys before `bound`, exclusive."""

    bound: str | int


@dataclass(frozen=True, slots=True)
class GreaterThan:
    """Sort keys behind `bound`, exclusive."""

    bound: str | int


Sort = BeginsWith | Between | LessThan | GreaterThan


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyQuery:
    """The rows of `partition` whose sort key matches `sort` (None: all), greatest (newest) first unless `forward`."""

    keys: Keys
    partition: str
    sort: Sort | None = None
    index: str | None = None
    forward: bool = False

"""The schema of a table, declared once by the package that owns it, and a query of it."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from andon.dynamodb import ttl

Partition = Literal["entity", "tenant", "shard", "date", "table"]
"""The subject of a partition; of an index it is that of the index's own partition key:

- `entity`: one thing, as a person or an order;
- `tenant`: the things that share a value, as an owner, a place, a state; together they are written less than 1,000
  times a second, so an index by an attribute of the rows is `tenant`;
- `shard`: one of some computed numbers, which spread what belongs together;
- `date`: a period of time; everything that is written now would go to one partition, so that no stack has it;
- `table`: the key is a constant; there would be one partition only, so that no stack has it either.
"""


class Keys:
    """The primary key of a table or of an index: attribute names, and the sort key's type (`S` text, `N` number)."""

    def __init__(
        self,
        partition: str,
        sort: str | None = None,
        sort_type: Literal["S", "N"] = "S",
        *,
        one_partition_per: Partition,
    ) -> None:
        self.partition, self.sort, self.sort_type = partition, sort, sort_type
        self.one_partition_per = one_partition_per
        self.names: tuple[str, ...] = (partition,) if sort is None else (partition, sort)

    def of(self, *values: str | int) -> dict[str, str | int]:
        """Return the key of these values.

        Raises:
            ValueError: they are not one for each attribute.

        """
        if len(values) != len(self.names):
            raise ValueError(f"a key has {', '.join(self.names)}, and not {len(values)} values")
        return dict(zip(self.names, values))  # noqa: B905  `strict` costs each row more than the check above


class Index(NamedTuple):
    """A global secondary index; `projects` lists the attributes that are copied into it, None copies all.

    Nothing listed: it has keys only, so that a write that changes none of them writes nothing to it. steady: it is
    written as often as a steady table is.
    """

    keys: Keys
    projects: tuple[str, ...] | None = None
    steady: bool = False


def counted(keys: Keys, projects: tuple[str, ...] = ()) -> Index:
    """Return an index for `Table.count`: it projects the rows' expiry, too."""
    return Index(keys, (*projects, ttl.ATTRIBUTE, ttl.DATE))


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html
MOST_RECOVERY_DAYS: Final = 35

_NO_INDEXES: Final[Mapping[str, Index]] = {}


class TableSchema(NamedTuple):
    """A table: its keys, its indexes by name, its stream, and the expiry of its rows (`ttl`).

    seldom_read: rows are kept rather than read, so that the infrequent-access class is cheaper. steady: it is written
    all the time, and at much the same rate, so that provisioned capacity is cheaper; steady_reads: it is read so, too.
    recovery_days: so far back it can be restored, and so long what is erased from it can come back; fewer need a table
    without a stream, by which what is to be forgotten would leave.
    """

    keys: Keys
    indexes: Mapping[str, Index] = _NO_INDEXES
    stream: bool = False
    expires: bool = True
    seldom_read: bool = False
    steady: bool = False
    steady_reads: bool = False
    recovery_days: int = MOST_RECOVERY_DAYS


# A query of one partition of a table or of an index, as a value.


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

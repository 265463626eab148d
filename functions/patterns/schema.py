"""What a table looks like, declared once by the package that owns it and read by `infra/`, `local/` and the queries."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Keys:
    """The primary key of a table or of an index: attribute names, and the sort key's type (`S` text, `N` number)."""

    partition: str
    sort: str
    sort_type: Literal["S", "N"] = "S"


@dataclass(frozen=True, slots=True)
class Index:
    """A global secondary index; `projects` lists the attributes copied into it, `None` copies all."""

    keys: Keys
    projects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table: its keys, its indexes by name, whether its changes leave by a stream, whether rows expire (`ttl`).

    seldom_read: most of it only lies there, so that the infrequent-access class is cheaper.
    """

    keys: Keys
    indexes: dict[str, Index] = field(default_factory=dict)
    stream: bool = False
    expires: bool = True
    seldom_read: bool = False

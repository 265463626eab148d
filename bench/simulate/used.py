"""What a function asks of AWS, and in which tables and indexes."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

DUE: Final = "due#"
"""How the partitions begin that hold what is due; see `andon/rules/due.py`."""


class Place(NamedTuple):
    """A table, or an index of it; `index_name` is empty for the table itself."""

    table: str
    index_name: str = ""


@dataclass(slots=True)
class Used:
    """What one function asked of AWS. writes: units by place and partition key. read_units: by place."""

    requests: Counter[str] = field(default_factory=Counter)
    writes: Counter[tuple[Place, str]] = field(default_factory=Counter)
    read_units: defaultdict[Place, float] = field(default_factory=lambda: defaultdict(float))
    entries: int = 0
    entry_bytes: int = 0
    pushes: int = 0

    @property
    def reads(self) -> float:
        """The read units of all places."""
        return sum(self.read_units.values())

    @property
    def write_units(self) -> int:
        """The units of all places."""
        return self.writes.total()

"""Writes beside a save, in its transaction: further rows, checks of other rows, and claims (`claims.py`).

`Draft.also` lists them by name. They are made if the version is, or neither is; the name of one whose condition does
not hold is in the 409. A retry of the same command is answered as the first time, although what it wrote is there by
now.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.client import Check, Delete, Put, Table
from andon.runtime.errors import Conflict, Rejected

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
MOST_WRITES: Final = 100


class Also(NamedTuple):
    """A write beside a save; a put has a condition, mostly that nothing is there (`Table.absent`).

    otherwise: what the client gets where the condition does not hold; None: 409 with the name of the write.
    """

    write: Put | Delete | Check
    otherwise: Rejected | None = None

    def refusal(self, name: str) -> Rejected:
        """Return the error for the client."""
        return self.otherwise or Conflict(f"{name!r} does not allow it: something else has it, or it has changed.")

    @property
    def row_key(self) -> tuple[object, ...]:
        """The row that it is about."""
        of = self.write.item if isinstance(self.write, Put) else self.write.key
        return row_key(self.write.table, of)


def row_key(table: Table, of: Attributes) -> tuple[object, ...]:
    """Return the identity of a row, from its item or its key."""
    return (table.variable, *(of[name] for name in table.keys.names))


def require_fit(also: Mapping[str, Also], others: Mapping[str, tuple[object, ...]]) -> None:
    """Check that DynamoDB takes writes in one transaction with others (name -> row).

    Raises:
        Rejected: what a caller claims is a row of the thing itself, and so another's.
        ValueError: there are more than 100, or two of them are about one row.

    """
    rows = {row: name for name, row in others.items()}
    if len(also) + len(others) > MOST_WRITES:
        raise ValueError(
            f"also: {len(also)} writes beside {', '.join(others)} are {len(also) + len(others)}; "
            f"a transaction takes {MOST_WRITES}. Save in parts, or claim one row for several names"
        )
    for name, one in also.items():
        twin = rows.setdefault(one.row_key, name)
        if twin in others and one.otherwise:
            raise one.otherwise
        if twin != name:
            raise ValueError(f"also: {name!r} and {twin!r} write one row, which a transaction takes once")

"""Writes beside a save, in its transaction: a claim of a name, what goes with it, a check of another row.

`Draft.also` lists them by name. They are made if the version is, or neither is; the name of one whose condition does
not hold is in the 409. A retry of the same command is answered as the first time, although its claims are taken by now:
by itself.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.client import Check, Delete, Put, Table
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Conflict, Rejected

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
MOST_WRITES: Final = 100

OWNER: Final = "owner"
"""The attribute of a claim with whoever has it."""

CLAIM: Final = "claim"
"""The discriminator of a claim; no event comes from it."""

FREE_OR_OWN: Final = "(attribute_not_exists(#key) OR #owner = :owner)"


class Also(NamedTuple):
    """A write beside a save; a put has a condition, mostly that nothing is there (`Table.absent`).

    otherwise: what the client gets where the condition does not hold; None: 409 with the name of the write.
    """

    write: Put | Delete | Check
    otherwise: Rejected | None = None

    def refusal(self, name: str) -> Rejected:
        """Return what the client gets."""
        return self.otherwise or Conflict(f"{name!r} does not allow it: something else has it, or it has changed.")

    @property
    def row_key(self) -> tuple[object, ...]:
        """The row that it is about."""
        of = self.write.item if isinstance(self.write, Put) else self.write.key
        return row_key(self.write.table, of)


class Claim(NamedTuple):
    """What one owner at a time has, as a unique name: a row of its own, whose key says what is claimed.

    key: of the row. owner: the thing that has it; it may claim it again.
    """

    table: Table
    key: Attributes
    owner: str

    def taken(self, otherwise: Rejected | None = None) -> Also:
        """Take it, unless somebody else has it."""
        row = {**self.key, OWNER: self.owner, "discriminator": CLAIM}
        return Also(Put(self.table, row, self._free_or_own), otherwise)

    def released(self, otherwise: Rejected | None = None) -> Also:
        """Let it go; what somebody else has by now stays theirs, and refuses the save."""
        return Also(Delete(self.table, self.key, self._free_or_own), otherwise)

    @property
    def _free_or_own(self) -> Condition:
        return Condition(FREE_OR_OWN, {"key": self.table.keys.partition, "owner": OWNER}, {"owner": self.owner})


def moved(
    name: str, *, before: Claim | None, after: Claim | None, otherwise: Rejected | None = None
) -> dict[str, Also]:
    """Return the writes by which an owner has one claim in place of another; None: none before, or none any more.

    otherwise: what the client gets if somebody else has it.
    """
    writes = {}
    if before is not None and (after is None or before.key != after.key):
        writes[f"{name} before"] = before.released()
    if after is not None:
        writes[name] = after.taken(otherwise)
    return writes


def row_key(table: Table, of: Attributes) -> tuple[object, ...]:
    """Return what tells a row from all others, of an item or of a key."""
    return (table.variable, *(of[name] for name in table.keys.names))


def require_fit(also: Mapping[str, Also], others: Mapping[str, tuple[object, ...]]) -> None:
    """Check that DynamoDB takes writes in one transaction with others (name -> row).

    Raises:
        ValueError: there are more than 100, or two of them are about one row.

    """
    rows = {row: name for name, row in others.items()}
    if len(also) + len(others) > MOST_WRITES:
        raise ValueError(
            f"also: {len(also)} writes beside {', '.join(others)} are {len(also) + len(others)}; "
            f"a transaction takes {MOST_WRITES}. Save in parts, or claim one row for several names"
        )
    for name, one in also.items():
        if (twin := rows.setdefault(one.row_key, name)) != name:
            raise ValueError(f"also: {name!r} and {twin!r} write one row, which a transaction takes once")

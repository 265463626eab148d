"""Claims: things with one owner at a time, as a unique name. Each is a row in the transaction of its owner's save.

`Draft.claims` says which ones a version has, by its content. `versioned_write.save` takes those of the new version and
lets go those of the version that If-Match names, which it reads first; on any other version it writes nothing. So each
claim is of a living thing that has what is claimed, whoever writes in between.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.dynamodb.client import Delete, Put, Table
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Conflict, Rejected
from andon.versions.also import Also, row_key

OWNER: Final = "owner"
"""The attribute of a claim with whoever has it."""

CLAIM: Final = "claim"
"""The discriminator of a claim; no event comes from it."""

_FREE_OR_OWN: Final = "(attribute_not_exists(#key) OR (#owner = :owner AND discriminator = :claim))"


class Claim(NamedTuple):
    """A claim of one owner at a time: a row of its own, keyed by the claimed thing.

    key: of the row. owner: the thing that has it; it may claim it again. otherwise: what the client gets if another one
    has it; None: 409 with its name.
    """

    table: Table
    key: Attributes
    owner: str
    otherwise: Rejected | None = None

    def taken(self, name: str) -> Also:
        """Take it, unless another one has it."""
        row = {**self.key, OWNER: self.owner, "discriminator": CLAIM}
        refusal = self.otherwise or Conflict(f"Another one has this {name}.")
        return Also(Put(self.table, row, self._free_or_own), refusal)

    def released(self) -> Also:
        """Let it go; a claim that has another owner by now refuses the save."""
        return Also(Delete(self.table, self.key, self._free_or_own))

    @property
    def row_key(self) -> tuple[object, ...]:
        """The row that it is."""
        return row_key(self.table, self.key)

    @property
    def _free_or_own(self) -> Condition:
        names = {"key": self.table.keys.partition, "owner": OWNER}
        return Condition(_FREE_OR_OWN, names, {"owner": self.owner, "claim": CLAIM})


ClaimsOf = Callable[[Attributes], Mapping[str, Claim]]
"""Content and attributes of a version -> its claims, by name. Pure."""

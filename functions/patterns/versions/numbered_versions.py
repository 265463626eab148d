"""Number-based versions: `v0_<name>` is the current one and knows the `latest` number, `v0000000001_<name>` the first.

The current one is one GetItem; so is any version by its number; the history is one range of keys, newest first, in
which `v0_…` is not: `_` sorts behind the digits, so that `v0_…` stands behind `v0999999999_…`. This holds for both
places where revisions can be:

- *a partition of their own* (`revisions="Audit#door#Press#7"`): things that belong together have their current rows
  side by side, so that one query reads the latest of all, and count on their own;
- *the partition of the current row*, as the DynamoDB developer guide draws it: then nothing else numbered may be in
  that partition, because keys are ordered by number first, and two histories would be shuffled into one.

Three ways to write:

- in one transaction: `versioned_write.save` with `revisions_at`. Never wrong, four write units a row and KB;
- `count_up`, the atomic counter: nobody is ever refused, no client needs a version. A crash between its two writes
  leaves a *gap*: `v0_…` says n and what it is, `vn` is missing, and lost with the next version unless `keep` repairs it
  before. A retry counts again. Two write units;
- `save_current`, then `keep` for each record of the table's stream: the optimistic lock of the transaction, half its
  write units. The history comes a moment later; a crash leaves nothing, the stream delivers again (for 24 hours).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.client import Table
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.expressions import Condition
from patterns.dynamodb.key_query import BeginsWith, Between, KeyQuery
from patterns.dynamodb.keys import current_version_key, require_part, version_key, within_limit
from patterns.runtime.errors import Poison
from patterns.versions.optimistic_lock import Draft, Saved
from patterns.versions.versioned_write import Revisions, Versions, save

LATEST = "latest"
VERSION = "version"

# Ten digits of which the first is 0: a `v1000000000_…` would sort behind `v0_…`.
MAX_VERSION = 999_999_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """Where the versions of one thing are.

    name: parts separated by `#`, such as `Audit#door`. partition: of the current row. revisions: the partition of the
    others, None if it is the same. attributes: what a revision's row says otherwise than the current one, such as a
    discriminator.
    """

    table: Table
    partition: str
    name: str
    revisions: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def current_key(self) -> dict[str, Any]:
        """Give the primary key of the current version."""
        return self._key(self.partition, current_version_key(self.name))

    def key_of(self, version: int) -> dict[str, Any]:
        """Give the primary key of a version.

        Raises:
            ValueError: there is no such number.

        """
        return self._key(self.revisions or self.partition, self._sort_key(version))

    def history(self, first: int = 1, last: int = MAX_VERSION) -> KeyQuery:
        """Ask for the versions from `first` to `last`, newest first.

        Raises:
            ValueError: there are no such numbers.

        """
        sort = Between(self._sort_key(first), self._sort_key(last))
        return KeyQuery(keys=self.table.keys, partition=self.revisions or self.partition, sort=sort)

    def _key(self, partition: str, sort_key: str) -> dict[str, Any]:
        return self.table.keys.of(partition, within_limit(sort_key))

    def _sort_key(self, version: int) -> str:
        if not 1 <= version <= MAX_VERSION:
            raise ValueError(f"a version is a number from 1 to {MAX_VERSION}")
        return version_key(self.name, version)


def all_current(table: Table, partition: str, kind: str) -> KeyQuery:
    """Ask for the current versions of all things in a partition whose name begins with the part `kind`."""
    require_part(kind)
    return KeyQuery(
        keys=table.keys, partition=partition, sort=BeginsWith(current_version_key(f"{kind}#")), forward=True
    )


def revisions_at(thing: Numbered) -> Revisions:
    """Tell `versioned_write` where revisions are, for the transactional way."""
    return Revisions(table=thing.table, key_of=thing.key_of, all=thing.history(), attributes=thing.attributes)


def count_up(thing: Numbered, content: Mapping[str, Any]) -> Item:
    """Make `content` the next version, whatever the current one is; None removes an attribute. Give the current row."""
    assign = {name: value for name, value in content.items() if value is not None}
    remove = tuple(name for name in content if name not in assign)
    row = thing.table.increment(thing.current_key(), LATEST, assign=assign, remove=remove)
    keep(thing, row)
    return row


def save_current(thing: Numbered, draft: Draft) -> Saved:
    """Make a draft the current version, under the optimistic lock; its revision is kept from the stream.

    A retry is recognised only while its version is the current one: see `versioned_write.save` for what is raised.
    """
    numbered = {**draft.attributes, LATEST: (draft.command.if_match or 0) + 1}
    return save(Versions(table=thing.table, key=thing.current_key()), replace(draft, attributes=numbered))


def is_current(thing: Numbered, row: Mapping[str, Any]) -> bool:
    """Tell the current row from its revisions, which the same stream tells of."""
    return all(row.get(name) == value for name, value in thing.current_key().items())


def keep(thing: Numbered, current: Mapping[str, Any]) -> bool:
    """Write the revision that a current row is, once, however often it is told; whether it was this time.

    Raises:
        Poison: the revision is there and says something else.

    """
    row = revision_of(thing, current)
    absent = Condition("attribute_not_exists(#key)", {"key": thing.table.keys.partition})
    try:
        thing.table.put(row, condition=absent)
    except ConditionFailed as failed:
        if failed.row == row:
            return False
        raise Poison(f"version {row[VERSION]} is kept already and says something else") from None
    return True


def revision_of(thing: Numbered, current: Mapping[str, Any]) -> Item:
    """Give the row of the revision that a current row is. Pure."""
    content = {name: value for name, value in current.items() if name != LATEST}
    version = current[LATEST]
    return content | {**thing.attributes, VERSION: version, **thing.key_of(version)}

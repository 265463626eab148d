"""Number-based versions: `v0_<name>` is the current one and knows the `latest` number, `v0000000001_<name>` the first.

The current one is one GetItem. So is any version by its number. The history is one range of keys, newest first. The
current row is not in that range: `_` sorts behind the digits, so that `v0_…` comes after `v0999999999_…`. This holds
for both places where revisions can be:

- *apart*: in a partition of their own, `<name>#<partition>`. Then the current rows of things that belong together lie
  side by side, one query reads the latest of all, and each thing has its own numbers.
- *together*: in the partition of the current row, as the DynamoDB developer guide draws it. Then that partition may
  hold no other numbered thing: keys are ordered by number first, and two histories would be shuffled into one.

Three ways to write:

- `versioned_write.save(versions_of(thing), draft)`, one transaction. Never wrong; four write units a row and KB.
- `count_up`, the atomic counter. It refuses nobody, and no client needs a version. A crash between its two writes
  leaves a *gap*: `v0_…` says n and its content, `vn` is missing. `keep` closes the gap while n is current; after the
  next version its content is lost. A retry counts again. Two write units.
- `save_current`, then `keep` for each record of the table's stream, which the trigger does of what is declared
  FROM_STREAM, see `FromStream`. It has the optimistic lock of the transaction for half its write units. The history
  comes a moment later. A crash leaves nothing: the stream delivers again (24 hours).
"""

from collections.abc import Mapping
from typing import Generic, NamedTuple

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.keys import SEPARATOR, current_version_key, require_part, version_key, within_limit
from andon.dynamodb.schema import BeginsWith, Between, KeyQuery
from andon.runtime.errors import Poison
from andon.versions.optimistic_lock import Draft, Row, Saved
from andon.versions.versioned_write import Requirement, Revisions, Versions, save

LATEST = "latest"
VERSION = "version"
TIMESTAMP = "timestamp"
SINCE = "since"

# Ten digits of which the first is 0: a `v1000000000_…` would sort behind `v0_…`.
MAX_VERSION = 999_999_999

Key = dict[str, str | int]


class Numbered(NamedTuple, Generic[Row]):
    """The place of one thing's numbered versions.

    name: parts separated by `#`, such as `Report#door`. partition: of the current row. apart: true if the revisions lie
    in a partition of their own. attributes: those that differ on a revision's row, such as a discriminator.
    """

    table: Table
    partition: str
    name: str
    apart: bool = False
    attributes: Mapping[str, object] = {}

    def current_key(self) -> Key:
        """Return the primary key of the current version."""
        return self._key(self.partition, current_version_key(self.name))

    def key_of(self, version: int) -> Key:
        """Return the primary key of a version.

        Raises:
            ValueError: there is no such number.

        """
        return self.key_of_any(_require_number(version))

    def key_of_any(self, version: int) -> Key:
        """Return the key that any number would have: an If-Match may name a version that can never exist."""
        return self._key(self._revisions, version_key(self.name, version))

    def history(self, first: int = 1, last: int = MAX_VERSION) -> KeyQuery:
        """Return the query of the versions from `first` to `last`, newest first.

        Raises:
            ValueError: there are no such numbers.

        """
        ends = (version_key(self.name, _require_number(version)) for version in (first, last))
        return KeyQuery(keys=self.table.keys, partition=self._revisions, sort=Between(*ends))

    @property
    def _revisions(self) -> str:
        return f"{self.name}{SEPARATOR}{self.partition}" if self.apart else self.partition

    def _key(self, partition: str, sort_key: str) -> Key:
        return self.table.keys.of(partition, within_limit(sort_key))


def all_current(table: Table, partition: str, kind: str) -> KeyQuery:
    """Return the query of the current versions of all things in a partition with a name of the part `kind`."""
    require_part(kind)
    sort = BeginsWith(current_version_key(f"{kind}{SEPARATOR}"))
    return KeyQuery(keys=table.keys, partition=partition, sort=sort, forward=True)


def versions_of(thing: Numbered[Row], *, requires: Requirement | None = None) -> Versions[Row]:
    """Return the place where `versioned_write.save` writes current row and revision in one transaction."""
    revisions = Revisions(
        table=thing.table,
        key_of=thing.key_of_any,
        all=thing.history(),
        attributes=thing.attributes,
        requires=requires,
    )
    return Versions(table=thing.table, key=thing.current_key(), revisions=revisions, latest_as=LATEST)


def count_up(thing: Numbered[Row], content: Mapping[str, object]) -> Item:
    """Make `content` the next version, upon any current one; None removes an attribute. Return the current row."""
    assign = {name: value for name, value in content.items() if value is not None}
    remove = tuple(name for name in content if name not in assign)
    row = thing.table.increment(thing.current_key(), LATEST, assign=assign, remove=remove)
    keep(thing, row)
    return row


def save_current(thing: Numbered[Row], draft: Draft) -> Saved[Row]:
    """Make a draft the current version, under the optimistic lock; its revision is kept from the stream.

    A retry is recognised only while its version is the current one. For what is raised see `versioned_write.save`.
    """
    versions: Versions[Row] = Versions(table=thing.table, key=thing.current_key(), latest_as=LATEST)
    return save(versions, draft)


def is_current(thing: Numbered[Row], row: Attributes) -> bool:
    """Return True if a row is the current one and not a revision: both are in the same stream."""
    return all(row.get(name) == value for name, value in thing.current_key().items())


def keep(thing: Numbered[Row], current: Attributes) -> bool:
    """Write the revision of a current row; return True if it was missing. Idempotent.

    Raises:
        Poison: there is a revision of that number, and it says something else.

    """
    return keep_revision(thing.table, revision_of(thing, current))


def keep_revision(table: Table, row: Item) -> bool:
    """Write the row of a revision; return True if it was missing. Idempotent.

    Raises:
        Poison: see `keep`.

    """
    try:
        table.put(row, condition=table.absent)
    except ConditionFailed as failed:
        if failed.row is not None and _is_same(failed.row, row):
            return False
        raise Poison(f"version {row[VERSION]} is kept already and says something else") from None
    return True


def _is_same(kept: Item, row: Item) -> bool:
    """Return True if a revision is kept: timestamps strictly increase; an erasure may have left another text in it."""
    return kept == row or (TIMESTAMP in row and kept.get(TIMESTAMP) == row[TIMESTAMP])


def revision_of(thing: Numbered[Row], current: Attributes) -> Item:
    """Return the row of the revision that a current row is. Pure."""
    version = current[LATEST]
    left_out = {LATEST} if current.get(SINCE) == version else {LATEST, SINCE}
    content = {name: value for name, value in current.items() if name not in left_out}
    return content | {**thing.attributes, VERSION: version, **thing.key_of(version)}


def _require_number(version: int) -> int:
    if not 1 <= version <= MAX_VERSION:
        raise ValueError(f"a version is a number from 1 to {MAX_VERSION}")
    return version

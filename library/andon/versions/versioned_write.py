"""Write the next version of a thing under the optimistic lock: its current row alone, or with every revision kept."""

import time
from collections.abc import Callable, Mapping
from typing import Final, Generic, NamedTuple, cast, overload

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import (
    Check,
    ConditionFailed,
    Put,
    Table,
    TransactionConditionsFailed,
    TransactionConflict,
    Update,
    transact,
)
from andon.dynamodb.schema import KeyQuery, Keys
from andon.events.hops import HOPS
from andon.events.latch import LATCHED, ORIGIN
from andon.runtime.errors import Rejected, Stale, Unavailable
from andon.versions.also import Also, require_fit, row_key
from andon.versions.optimistic_lock import (
    CURRENT,
    OWNED_SINCE,
    REQUIRED,
    REVISION,
    STALE,
    CheckRetry,
    Command,
    Draft,
    Guard,
    LastStep,
    Refuse,
    RefusedSave,
    Return,
    Row,
    Saved,
    Stands,
    VersionedRow,
    Write,
    condition_of,
    decide_next,
    decide_on_read,
    expected_by,
    is_of,
    owned_since,
    require_admitted,
    stale,
    write_upon,
)
from andon.wire.retries import jitter

# Attributes of a row that another service's edit, or another event, made; a command makes the row its own again.
NOT_OWN: Final = (LATCHED, ORIGIN, HOPS)

ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.01

_NOTHING_ELSE: Final[Mapping[str, Also]] = {}


KeptRevisions = Mapping[str, Callable[[Item], tuple[Table, Item]]]
"""Discriminator -> the table and the row of the revision that a current row is. Pure."""


class Contended(Unavailable):
    """Others were writing the row at every attempt."""

    def __init__(self) -> None:
        super().__init__("Others were writing this at the same time; send it again.")


class Requirement(NamedTuple):
    """A check of another row, a condition of each version; `otherwise` is the client's response."""

    check: Check
    otherwise: Rejected


class Revisions(NamedTuple):
    """The place of every revision: the table, the key of version n, and the query of all of them, newest first.

    attributes: what else stands on the row of a revision. requires: checked in the transaction that writes current row
    and revision.
    """

    table: Table
    key_of: Callable[[int], Mapping[str, str | int]]
    all: KeyQuery
    attributes: Mapping[str, object]
    requires: Requirement | None = None

    @property
    def kind(self) -> object:
        """The discriminator of their rows; None: they have none."""
        return self.attributes.get("discriminator")


class Versions(NamedTuple, Generic[Row]):
    """The place of one thing's versions: the current one by `key`, and each of them if there are `revisions`.

    Row: the type of its rows. latest_as: the attribute of the current row that repeats its version. kind: the
    discriminator of the current row; a row of another kind is none of these.
    """

    table: Table
    key: Mapping[str, str | int]
    revisions: Revisions | None = None
    latest_as: str | None = None
    kind: str | None = None

    def current(self) -> Row | None:
        """Read the current row; None if there is none."""
        return self._own(self.kind, self.table.get(self.key, consistent=True))

    def revision(self, version: int, *, consistent: bool = False) -> Row | None:
        """Read a revision; None if there is none, or if none are kept."""
        if self.revisions is None:
            return None
        row = self.revisions.table.get(self.revisions.key_of(version), consistent=consistent)
        return self._own(self.revisions.kind, row)

    def newest(self) -> Row | None:
        """Read the newest revision; None if there is none, or if none are kept."""
        if self.revisions is None:
            return None
        rows = self.revisions.table.query(self.revisions.all, limit=1, consistent=True).items
        return self._own(self.revisions.kind, next(iter(rows), None))

    def _own(self, kind: object, item: Item | None) -> Row | None:
        return self.row_of(item) if item is not None and is_of(kind, item) else None

    @overload
    def row_of(self, item: None) -> None: ...
    @overload
    def row_of(self, item: Mapping[str, object]) -> Row: ...
    def row_of(self, item: Mapping[str, object] | None) -> Row | None:
        """Return an item that stands at one of these keys with the type of its row."""
        return cast("Row | None", item)


def save(versions: Versions[Row], draft: Draft) -> Saved[Row]:
    """Make a draft the current version: one request, and more only if something stands in the way.

    A change of a draft with claims reads the version that it names first, for those that it lets go.

    Raises:
        PreconditionRequired: it exists and the command names no version.
        Stale: the command names another version than the current one.
        NotFound: it was deleted and the command does not bring it back; or what it requires is missing.
        Conflict: a write beside it, of `draft.also`, is not allowed, or another one has what it claims.
        Contended: others wrote at each of `ATTEMPTS` attempts.
        ValueError: `draft.also` does not fit into a transaction, or it cannot keep its claims.

    """
    before = None if draft.claims is None else _before(versions, draft)
    return _save(versions, _claiming(draft, before))


def _save(versions: Versions[Row], draft: Draft) -> Saved[Row]:
    if draft.also:
        require_fit(draft.also, _rows_of(versions, draft))
    write = write_upon(draft, expected_by(draft.command))
    for attempt in range(ATTEMPTS):
        try:
            refused = write_or_refuse(versions, current_write(versions, draft, write), write, draft.also)
        except TransactionConflict:
            pause(attempt)
            continue
        if refused is None:
            return Saved.by(versions.row_of({**write.revision, **draft.attributes}))
        step = decide_next(draft, refused)
        if not isinstance(step, Write):
            return finish(versions, draft.command, step)
        draft, write = draft._replace(upon=refused.failed.get(CURRENT) or refused.newest), step
    raise Contended


def change(
    versions: Versions[Row], command: Command, decide: Callable[[Row], Draft], guard: Guard | None = None
) -> Saved[Row]:
    """Read the current row, decide a draft upon it, and save that; a retry is answered as the first time.

    guard: of the current row.

    Raises:
        NotFound: there is no such thing, or it was deleted.
        PreconditionRequired: the command names no version.
        Stale: the command names another version.
        Contended: see `save`.

    """
    current = versions.current()
    # Where no revisions are kept, the current row is the only one that tells a retry.
    if current is not None and current.get("fingerprint") == command.fingerprint:
        return Saved.by(current)
    found = decide_on_read(current, command, guard)
    if isinstance(found, CheckRetry):
        return finish(versions, command, found)
    return _save(versions, _claiming(decide(found)._replace(guard=guard, upon=found), found))


def _claiming(draft: Draft, before: VersionedRow | None) -> Draft:
    if draft.claims is None:
        return draft
    from andon.versions.claiming import claiming  # noqa: PLC0415  most services claim nothing

    return claiming(draft, draft.claims, before)


def _before(versions: Versions[Row], draft: Draft) -> Row | None:
    """Return the version that a draft follows: none where it begins a life, else the current one, or the last one.

    A later version than the one that is named is refused by the save. An earlier one is refused here: the named one may
    come to be between read and write, and nobody would let go what it claims.

    Raises:
        Stale: the version that is named is not there yet.

    """
    if_match = draft.command.if_match
    if if_match is None:
        return None
    before = versions.current() or versions.newest()
    if before is None:
        raise Stale(STALE)
    if before["version"] < if_match:
        require_admitted(draft.guard, before)
        raise stale(before)
    return before


def finish(versions: Versions[Row], command: Command, step: LastStep) -> Saved[Row]:
    """Do the last step of a save.

    Raises:
        Rejected: the step refuses the command.

    """
    match step:
        case Return(saved):
            return cast("Saved[Row]", saved)
        case CheckRetry(version, otherwise):
            row = versions.revision(version, consistent=True)
            if row is None or row["fingerprint"] != command.fingerprint:
                raise otherwise
            return Saved.by(row)
        case Refuse(error):
            raise error


def pause(attempt: int) -> None:
    """Wait a random time, longer at each attempt, so that writers do not meet again."""
    time.sleep(FIRST_PAUSE_SECONDS * 2**attempt * jitter())


def revision_in(row: Item, keys: Keys) -> Item:
    """Return the revision that a current row repeats, its key aside; `keys`: of the current row. Pure."""
    own = {*keys.names, ttl.ATTRIBUTE, ttl.DATE, LATCHED, HOPS, OWNED_SINCE}
    own |= {"since"} if row.get("since") != row["version"] else set()
    return {name: value for name, value in row.items() if name not in own}


def current_write(versions: Versions[Row], draft: Draft, write: Write) -> Put | Update:
    """Return the write of the current row: a living one keeps its `since`.

    The first of a life is put whole, and so is a tombstone: nothing that it does not say stays beside it.
    """
    latest = {} if versions.latest_as is None else {versions.latest_as: write.revision["version"]}
    owned = owned_since(draft, write.revision)
    row = {**write.revision, **draft.attributes, **latest, **owned}
    condition = condition_of(draft, write, versions.table.absent)
    if write.expected.stands is not Stands.ALIVE or draft.deleted:
        return Put(versions.table, {**versions.key, **row}, condition)
    gone = tuple(name for name, value in draft.content.items() if value is None)
    # What the key says may be an attribute of the draft, too; DynamoDB refuses to write it again.
    said = {name: value for name, value in row.items() if name not in versions.key}
    return Update(versions.table, versions.key, said, (*gone, *NOT_OWN), condition)


def write_or_refuse(
    versions: Versions[Row], current: Put | Update, write: Write, also: Mapping[str, Also] = _NOTHING_ELSE
) -> RefusedSave | None:
    """Write the current row, in one transaction with its revision and `also`; None: it is written.

    Raises:
        TransactionConflict: others were writing the same rows.

    """
    revisions = versions.revisions
    try:
        if revisions is None and not also:
            current.alone()
        else:
            beside = {_also(name): one.write for name, one in also.items()}
            transact({CURRENT: current, **_of_revision(revisions, write), **beside})
    except ConditionFailed as failed:
        return RefusedSave(failed={CURRENT: versions.row_of(failed.row)})
    except TransactionConditionsFailed as failed:
        return _refused(versions, {name: versions.row_of(row) for name, row in failed.failed.items()}, also)
    return None


def _of_revision(revisions: Revisions | None, write: Write) -> dict[str, Put | Check]:
    return {} if revisions is None else {REVISION: _revision_write(revisions, write), **_required(revisions)}


def _revision_write(revisions: Revisions, write: Write) -> Put:
    item = {**revisions.attributes, **write.revision, **revisions.key_of(write.revision["version"])}
    return Put(revisions.table, item, revisions.table.absent)


def _required(revisions: Revisions) -> dict[str, Check]:
    return {} if revisions.requires is None else {REQUIRED: revisions.requires.check}


def _also(name: str) -> str:
    """Return the name of a write beside a save in its transaction, which is none of those of the save."""
    return f"also {name}"


def _rows_of(versions: Versions[Row], draft: Draft) -> dict[str, tuple[object, ...]]:
    """Return the rows that a save itself is about, by the names of their writes."""
    rows, revisions = {CURRENT: row_key(versions.table, versions.key)}, versions.revisions
    if revisions is not None:
        rows[REVISION] = row_key(revisions.table, revisions.key_of(draft.command.next_version))
        rows |= {name: row_key(check.table, check.key) for name, check in _required(revisions).items()}
    return rows


def _refused(
    versions: Versions[Row], failed: Mapping[str, VersionedRow | None], also: Mapping[str, Also]
) -> RefusedSave:
    """Complete the answer of a cancelled transaction: where there is no current row, read the newest revision.

    Where only writes beside the save were refused, the current row tells a retry, whose first attempt made them.
    """
    requires = versions.revisions and versions.revisions.requires
    conflict = next((one.refusal(name) for name, one in also.items() if _also(name) in failed), None)
    if conflict is not None and not failed.keys() & {CURRENT, REVISION} and (current := versions.current()):
        failed = {**failed, CURRENT: current}
    is_vacant = failed.get(CURRENT) is None and failed.keys() & {CURRENT, REVISION}
    return RefusedSave(
        failed=failed,
        newest=versions.newest() if is_vacant else None,
        missing=requires.otherwise if requires and REQUIRED in failed else None,
        conflict=conflict,
    )

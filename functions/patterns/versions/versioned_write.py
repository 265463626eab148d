"""Write the next version of a thing under the optimistic lock: its current row alone, or with every revision kept."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.client import Check, Put, Table, Update, transact
from patterns.dynamodb.errors import ConditionFailed, TransactionConditionsFailed, TransactionConflict
from patterns.dynamodb.expressions import Condition
from patterns.dynamodb.key_query import KeyQuery
from patterns.runtime.errors import Rejected, Unavailable
from patterns.versions.optimistic_lock import (
    CheckRetry,
    Command,
    Draft,
    Expected,
    Saved,
    Stands,
    condition_of,
    expected_by,
    judge,
    refusal_of,
    revision_of,
)

ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.01


class Contended(Unavailable):
    """The row was being written by others at every attempt."""

    def __init__(self) -> None:
        super().__init__("Others were writing this at the same time; send it again.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """Where every revision is kept: the table, the key of version n, and all of them, newest first."""

    table: Table
    key_of: Callable[[int], Mapping[str, Any]]
    all: KeyQuery
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Where the versions of one thing are kept: the current one, all of them, and what must be so to write them."""

    table: Table
    key: Mapping[str, Any]
    revisions: Revisions | None = None
    requires: Check | None = None
    missing: Rejected | None = None


@dataclass(frozen=True, slots=True)
class _Refused:
    """A write that was not made: what stood in the way of the current row, of the revision, of what is required."""

    failed: Mapping[int, Item | None]


_CURRENT, _REVISION, _REQUIRED = range(3)


def save(versions: Versions, draft: Draft) -> Saved:
    """Make a draft the current version: one request, more of them only if something stands in the way.

    Raises:
        PreconditionRequired: it exists and the command names no version.
        Stale: the command names another version than the current one.
        NotFound: it was deleted, and the command is not one that brings it back; or what it requires is missing.
        Contended: others wrote at each of `ATTEMPTS` attempts.

    """
    base = expected_by(draft.command)
    for attempt in range(ATTEMPTS):
        revision = revision_of(draft, base)
        try:
            refused = _write(versions, draft, base, revision)
        except TransactionConflict:
            time.sleep(FIRST_PAUSE_SECONDS * 2**attempt * random.random())  # noqa: S311  jitter is no secret
            continue
        if refused is None:
            return Saved.by({**revision, **draft.attributes})
        verdict = _judge(versions, draft, refused)
        if isinstance(verdict, Saved):
            return verdict
        base = verdict
    raise Contended


def current(versions: Versions, command: Command) -> Item | Saved:
    """Read the current row for a command that takes what stands there, or recognise the command as come again.

    Raises:
        NotFound: there is none, or it was deleted.
        PreconditionRequired: the command names no version.
        Stale: the command names another version.

    """
    row = versions.table.get(versions.key, consistent=True)
    refusal = refusal_of(row, command)
    if row is not None and refusal is None:
        return row
    again = recognise(versions, command.fingerprint, (command.if_match or 0) + 1)
    if again is None:
        raise refusal or Contended
    return again


def recognise(versions: Versions, fingerprint: str, version: int) -> Saved | None:
    """Give the revision `version` if the command of this fingerprint made it: then the command has come again."""
    if versions.revisions is None:
        return None
    row = versions.revisions.table.get(versions.revisions.key_of(version), consistent=True)
    return Saved.by(row) if row and row["fingerprint"] == fingerprint else None


def _write(versions: Versions, draft: Draft, base: Expected, revision: Item) -> _Refused | None:
    write = write_of(versions, draft, base, revision)
    try:
        if versions.revisions is None:
            write.alone()
        else:
            transact(write, *_more(versions, versions.revisions, revision))
    except ConditionFailed as failed:
        return _Refused({_CURRENT: failed.row})
    except TransactionConditionsFailed as failed:
        return _Refused(failed.failed)
    return None


def write_of(versions: Versions, draft: Draft, base: Expected, revision: Item) -> Put | Update:
    """Put the first row of a life whole; update a living one, which keeps since when it lives."""
    row, condition = {**revision, **draft.attributes}, condition_of(draft, base, revision)
    if base.stands is not Stands.ALIVE:
        return Put(versions.table, {**versions.key, **row}, condition)
    gone = tuple(name for name, value in draft.content.items() if value is None)
    return Update(versions.table, versions.key, row, gone, condition)


def _more(versions: Versions, revisions: Revisions, revision: Item) -> list[Put | Check]:
    item = {**revisions.attributes, **revision, **revisions.key_of(revision["version"])}
    put = Put(revisions.table, item, Condition("attribute_not_exists(#version)", {"version": "version"}))
    return [put] if versions.requires is None else [put, versions.requires]


def _judge(versions: Versions, draft: Draft, refused: _Refused) -> Saved | Expected:
    verdict = _verdict_on(versions, draft, refused)
    missing = versions.missing if _REQUIRED in refused.failed else None
    if isinstance(verdict, CheckRetry):
        again = recognise(versions, draft.command.fingerprint, verdict.version)
        if again is None:
            raise missing or verdict.otherwise
        return again
    # Whatever the version: nothing is done without what is required, unless it has been done already.
    if missing is not None and not (isinstance(verdict, Saved) and verdict.made_by(draft.command)):
        raise missing
    return verdict


def _verdict_on(versions: Versions, draft: Draft, refused: _Refused) -> Saved | Expected | CheckRetry:
    row = refused.failed.get(_CURRENT)
    if row is not None or versions.revisions is None:
        return judge(draft, row)
    if not refused.failed.keys() & {_CURRENT, _REVISION}:
        return expected_by(draft.command)
    return _where_nothing_stands(versions.revisions, draft)


def _where_nothing_stands(revisions: Revisions, draft: Draft) -> Saved | Expected | CheckRetry:
    """Go on behind the newest revision: the current row was a tombstone, and the TTL service took it."""
    rows = revisions.table.query(revisions.all, limit=1, consistent=True).items
    if not rows or not draft.revives or draft.command.if_match not in {None, rows[0]["version"]}:
        return judge(draft, None)
    return Expected(rows[0]["version"], Stands.NOTHING, rows[0]["timestamp"] + 1)

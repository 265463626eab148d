"""Current row and history in two tables without a transaction: one write unit fewer, and a crash may come between.

Three writes, each on condition, none of which a reader sees before the last:

1. *fence*: add one to the current row's `fence` while its version is the expected one. A thing that is not there gets a
   row of version 0, which nobody sees. Adding is what makes this conditional on the fence too: DynamoDB hands every
   number out once, so that no two writers hold the same, and an answer that got lost costs a number and nothing else.
2. *history*: write the revision if there is none or its fence is smaller: a crash's orphan is replaced, and whoever
   holds an older fence cannot replace ours.
3. *current*: write the current row while version and fence are still the same: whoever took the fence behind us has
   ended us, so that what stands in the history is what the current row says.

What holds at every moment, and after a crash anywhere:

- the revisions up to the current version are there and never change; the current row says what the newest of them says;
- at most one orphan lies behind them, at version + 1. No reader may show it: ask for `visible_revisions`; a query by
  time needs a limit of two, and drops what is behind the current version;
- the same command, sent again, becomes one revision.

What it asks for: the current row is never deleted and never expires, because the fence stands on it (a deletion is a
revision marked deleted, without a TTL). A stream of the current rows tells of the fence too: a trigger lets through
what `moved`.
"""

import random
import time
from collections.abc import Generator
from dataclasses import replace

from patterns.dynamodb import ttl
from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.errors import ConditionFailed
from patterns.dynamodb.expressions import Condition
from patterns.dynamodb.key_query import Between, KeyQuery
from patterns.versions.optimistic_lock import (
    CheckRetry,
    Draft,
    Expected,
    Saved,
    Stands,
    condition_of,
    expected_by,
    judge,
    revision_of,
)
from patterns.versions.versioned_write import (
    ATTEMPTS,
    FIRST_PAUSE_SECONDS,
    Contended,
    Revisions,
    Versions,
    recognise,
    write_of,
)

FENCE = "fence"

UNSEEN = "(attribute_not_exists(#version) OR #version = :unseen)"
ABSENT_OR_OLDER = "attribute_not_exists(#key) OR #fence < :fence"
HELD = "#version = :expected AND #fence = :fence"

Steps = Generator[str, None, Saved]
"""What a writer does, one request behind each `yield`, which names it: `fence`, `history`, `current`, `recognise`."""


def save(versions: Versions, draft: Draft) -> Saved:
    """Make a draft the current version, as `versioned_write.save` does, without a transaction: three requests.

    Raises:
        PreconditionRequired: it exists and the command names no version.
        Stale: the command names another version than the current one.
        NotFound: it was deleted, and the command is not one that brings it back.
        Contended: others took the fence at each of `ATTEMPTS` attempts.
        ValueError: this way of writing cannot keep what is asked: no history, something required, a row that expires.

    """
    writer = steps(versions, draft)
    while True:
        try:
            next(writer)
        except StopIteration as done:
            saved: Saved = done.value
            return saved


def steps(versions: Versions, draft: Draft) -> Steps:
    """Do what `save` does, one request at a time, so that writers can be interleaved and stopped anywhere."""
    revisions = _history_of(versions, draft)
    base = expected_by(draft.command)
    for attempt in range(ATTEMPTS):
        revision = revision_of(draft, base)
        yield "fence"
        try:
            fence = _take_fence(versions, draft, base, revision)
        except ConditionFailed as failed:
            verdict = yield from _judge(versions, draft, visible(failed.row))
            if isinstance(verdict, Saved):
                return verdict
            base = verdict
            continue
        try:
            yield "history"
            _keep(revisions, revision, fence)
            yield "current"
            _show(versions, draft, base, revision, fence)
        except ConditionFailed:  # another took the fence behind us; the next attempt meets what became of it
            time.sleep(FIRST_PAUSE_SECONDS * 2**attempt * random.random())  # noqa: S311  jitter is no secret
        else:
            return Saved.by(revision)
    raise Contended


def visible(row: Item | None) -> Item | None:
    """Give a current row as readers see it: one of version 0 only holds the fence of a first write."""
    return row if row and row["version"] else None


def visible_revisions(revisions: KeyQuery, row: Item) -> KeyQuery:
    """Ask for the revisions up to a visible current row, in a table whose sort key is the version: no orphan."""
    return replace(revisions, sort=Between(1, row["version"]))


def moved(old: Item | None, new: Item | None) -> bool:
    """Tell from its images whether a change of a current row is a new version, or only somebody's fence."""
    before, after = ((row or {}).get("version", 0) for row in (old, new))
    return bool(before != after)


def _history_of(versions: Versions, draft: Draft) -> Revisions:
    if versions.revisions is None or versions.requires is not None:
        raise ValueError("a sequential writer keeps a history and can check no other row")
    if ttl.ATTRIBUTE in draft.attributes:
        raise ValueError("the fence would expire with the current row")
    return versions.revisions


def _take_fence(versions: Versions, draft: Draft, base: Expected, revision: Item) -> int:
    if base.stands is Stands.NOTHING:
        condition = Condition(UNSEEN, {"version": "version"}, {"unseen": 0})
    else:
        condition = condition_of(draft, base, revision)
    row = versions.table.increment(versions.key, FENCE, assign={"version": base.version}, condition=condition)
    fence: int = row[FENCE]
    return fence


def _keep(revisions: Revisions, revision: Item, fence: int) -> None:
    row = {**revisions.attributes, **revision, **revisions.key_of(revision["version"]), FENCE: fence}
    names = {"key": revisions.table.keys.partition, "fence": FENCE}
    revisions.table.put(row, condition=Condition(ABSENT_OR_OLDER, names, {"fence": fence}))


def _show(versions: Versions, draft: Draft, base: Expected, revision: Item, fence: int) -> None:
    fenced = replace(draft, attributes={**draft.attributes, FENCE: fence})
    names = {"version": "version", "fence": FENCE}
    held = Condition(HELD, names, {"expected": base.version, "fence": fence})
    replace(write_of(versions, fenced, base, revision), condition=held).alone()


def _judge(versions: Versions, draft: Draft, row: Item | None) -> Generator[str, None, Saved | Expected]:
    verdict = judge(draft, row)
    if not isinstance(verdict, CheckRetry):
        return verdict
    yield "recognise"  # never on an orphan: that is behind the version that stands, and this command's is not
    again = recognise(versions, draft.command.fingerprint, verdict.version)
    if again is None:
        raise verdict.otherwise
    return again

"""Current row and history in two tables without a transaction: one write unit fewer, and a crash may come between.

A save is three writes, each on condition. Readers see nothing of it before the last:

1. *fence*: add one to the current row's `fence` if its version is the expected one. A thing that does not exist yet
   gets a row of version 0, which readers do not show. DynamoDB gives each number out once, so that no two writers hold
   the same. If the answer is lost, one number is lost and nothing else.
2. *history*: write the revision if there is none, or if its fence is smaller. So the orphan of a crash is replaced, and
   a writer with an older fence cannot replace ours.
3. *current*: write the current row if version and fence are still the same. If another writer has taken the fence
   since, this fails. So the history always says what the current row says.

At every moment, and after a crash at any point:

- All revisions up to the current version exist and never change. The current row says what the newest of them says.
- There is at most one orphan, at version + 1. Readers must not show it: use `visible_revisions`. A query by time asks
  for two revisions and drops what is later than the current version.
- The same command, sent again, becomes one revision.

What it requires: the current row is never deleted and never expires, because the fence stands on it. (A deletion is a
revision marked deleted, without a TTL.) The stream of the current rows contains the fences, too: a trigger publishes
only what `is_new_version`.
"""

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import Between, KeyQuery
from andon.versions.optimistic_lock import (
    CURRENT,
    Draft,
    NextStep,
    RefusedSave,
    Return,
    Row,
    Saved,
    Stands,
    VersionedRow,
    Write,
    condition_of,
    decide_next,
    expected_by,
    write_upon,
)
from andon.versions.versioned_write import ATTEMPTS, Contended, Revisions, Versions, current_write, finish, pause

FENCE = "fence"

UNSEEN = "(attribute_not_exists(#version) OR #version = :unseen)"
ABSENT_OR_OLDER = "attribute_not_exists(#key) OR #fence < :fence"
HELD = "#version = :expected AND #fence = :fence"


def save(versions: Versions[Row], draft: Draft) -> Saved[Row]:
    """Make a draft the current version, as `versioned_write.save` does, without a transaction: three requests.

    Raises:
        PreconditionRequired: it exists and the command names no version.
        Stale: the command names another version than the current one.
        NotFound: it was deleted and the command does not bring it back.
        Contended: others took the fence at each of `ATTEMPTS` attempts.
        ValueError: this design cannot do what is asked: no history, a requirement, a current row that expires.

    """
    revisions = _require_history(versions, draft)
    write = write_upon(draft, expected_by(draft.command))
    for attempt in range(ATTEMPTS):
        step = _try(versions, revisions, draft, write)
        if step is None:  # another writer has the fence; the next attempt meets what became of it
            pause(attempt)
        elif isinstance(step, Write):
            write = step
        else:
            return finish(versions, draft.command, step)
    raise Contended


def visible(row: Item | None) -> Item | None:
    """Return a current row as readers see it: one of version 0 only holds the fence of a first write."""
    return row if row and row["version"] else None


def visible_revisions(revisions: KeyQuery, row: VersionedRow) -> KeyQuery:
    """Return the query of the revisions up to a visible current row, without an orphan; the sort key is the version."""
    return revisions._replace(sort=Between(1, row["version"]))


def is_new_version(old: Item | None, new: Item | None) -> bool:
    """Return True if a change of a current row, by its images, is a new version and not only somebody's fence."""
    before, after = ((row or {}).get("version", 0) for row in (old, new))
    return bool(before != after)


def _require_history(versions: Versions[Row], draft: Draft) -> Revisions:
    if versions.revisions is None or versions.revisions.requires is not None:
        raise ValueError("a sequential writer keeps a history and can check no other row")
    if draft.also:
        raise ValueError(f"a sequential writer has no transaction for what is written also: {', '.join(draft.also)}")
    if draft.claims:
        raise ValueError("a sequential writer has no transaction for claims")
    if ttl.ATTRIBUTE in draft.attributes:
        raise ValueError("the fence would expire with the current row")
    return versions.revisions


def _try(versions: Versions[Row], revisions: Revisions, draft: Draft, write: Write) -> NextStep | None:
    """Make the three writes; return what comes next, None if another writer took the fence in between."""
    try:
        fence = _take_fence(versions, draft, write)
    except ConditionFailed as failed:
        return decide_next(draft, RefusedSave(failed={CURRENT: versions.row_of(visible(failed.row))}))
    try:
        _write_revision(revisions, write, fence)
        _write_current(versions, draft, write, fence)
    except ConditionFailed:
        return None
    return Return(Saved.by(write.revision))


def _take_fence(versions: Versions[Row], draft: Draft, write: Write) -> int:
    condition = condition_of(draft, write)
    if write.expected.stands is Stands.NOTHING:
        condition = Condition(UNSEEN, {"version": "version"}, {"unseen": 0})
    assign = {"version": write.expected.version}
    fence: int = versions.table.increment(versions.key, FENCE, assign=assign, condition=condition)[FENCE]
    return fence


def _write_revision(revisions: Revisions, write: Write, fence: int) -> None:
    row = {**revisions.attributes, **write.revision, **revisions.key_of(write.revision["version"]), FENCE: fence}
    names = {"key": revisions.table.keys.partition, "fence": FENCE}
    revisions.table.put(row, condition=Condition(ABSENT_OR_OLDER, names, {"fence": fence}))


def _write_current(versions: Versions[Row], draft: Draft, write: Write, fence: int) -> None:
    fenced = draft._replace(attributes={**draft.attributes, FENCE: fence})
    names = {"version": "version", "fence": FENCE}
    held = Condition(HELD, names, {"expected": write.expected.version, "fence": fence})
    current_write(versions, fenced, write)._replace(condition=held).alone()

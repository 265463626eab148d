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

What it requires: the current row is never deleted, because the fence stands on it. (A deletion is a revision marked
deleted.) It expires only by a `Lifetime`: when it has gone, nobody may take its id again, and nothing brings it back.
Revisions never expire. The stream of the current rows contains the fences, too: `FACTS` have the meaning `of_versions`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import Condition, both
from andon.dynamodb.schema import Between, KeyQuery
from andon.runtime.errors import NotFound, Stale
from andon.runtime.strict_json import is_whole
from andon.versions.optimistic_lock import (
    CURRENT,
    STALE,
    CheckRetry,
    Draft,
    NextStep,
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
    expected_by,
    is_done,
    write_upon,
)
from andon.versions.versioned_write import ATTEMPTS, Contended, Revisions, Versions, current_write, finish, pause

# The life of a current row that a fence stands on: it expires by dates of its domain, and its id is never taken again.
#
# If a fence began again at 1 while its history remains, a revision that readers have seen could be replaced, and a
# writer of before could hold a number that is given out twice. So the id holds a date until which it may be taken, and
# the table keeps the row for longer than that: when DynamoDB takes the row, nobody may begin it again.

KEPT_SECONDS: Final = ttl.SECONDS_PER_DAY
"""Seconds for which a row is kept after its dates. A process that began before them has ended by then, also if its
clock is hours behind: a Lambda function runs for at most 15 minutes."""


class Lifetime(NamedTuple):
    """Dates of a row, in epoch seconds.

    expires_at: readers see the row until then (`ttl.is_alive`), at least for as long as its id is open; each version
    says it anew, earlier or later. open_until: the id may be taken until then. It follows from the id alone, so that
    every command for the id says the same, in every version of the code: an id that holds a day is open until that is
    over.
    """

    expires_at: int
    open_until: int

    def require_seconds(self) -> None:
        """Check that both are epoch seconds.

        Raises:
            ValueError: one is no whole number, or so large that it is milliseconds.

        """
        for name, date in self._asdict().items():
            if not is_whole(date) or not 0 <= date < ttl.FIRST_NO_SECONDS:
                raise ValueError(f"{name} is a date in epoch seconds, and not {date!r}")

    def is_open(self, now_ms: int) -> bool:
        """Return True if the id may be taken."""
        return not ttl.is_expired(self.open_until, now_ms)

    @property
    def of_fence(self) -> dict[str, int]:
        """The attributes of a row that only holds the fence of a first write: nobody sees it."""
        return {ttl.DATE: 0, ttl.ATTRIBUTE: self.open_until + KEPT_SECONDS}

    def upon(self, row: Mapping[str, int]) -> dict[str, int]:
        """Return the attributes of the row that follows `row`; it is kept until the latest date that it ever had."""
        shown_until = max(self.expires_at, self.open_until)
        kept_until = max(shown_until + KEPT_SECONDS, row.get(ttl.ATTRIBUTE, 0))
        return {ttl.DATE: shown_until, ttl.ATTRIBUTE: kept_until}


if TYPE_CHECKING:
    from andon.events.fact import Change, Fact, Meaning

FENCE = "fence"

UNSEEN = "(attribute_not_exists(#key) OR #version = :unseen)"
_ABSENT_OR_OLDER = "attribute_not_exists(#key) OR #fence < :fence"
HELD = "#version = :expected AND #fence = :fence"
ALIVE = Condition("attribute_not_exists(#date) OR #date > :clock", {"date": ttl.DATE})

OVER: Final = "Its time is over."


def save(versions: Versions[Row], draft: Draft, lifetime: Lifetime | None = None) -> Saved[Row]:
    """Make a draft the current version, as `versioned_write.save` does, without a transaction: three requests.

    lifetime: of the current row; None: it never expires.

    Raises:
        PreconditionRequired: it exists and the command names no version.
        Stale: the command names another version than the current one.
        NotFound: it was deleted and the command does not bring it back; or its time is over (`Draft.gone`, if given).
        Contended: others took the fence at each of `ATTEMPTS` attempts.
        ValueError: this design cannot do what is asked: no history, a requirement, a row that expires otherwise.

    """
    revisions = _require_history(versions, draft)
    if lifetime is not None:
        lifetime.require_seconds()
    write = write_upon(draft, expected_by(draft.command))
    for attempt in range(ATTEMPTS):
        step = _try(versions, revisions, draft, write, lifetime)
        if step is None:  # another writer has the fence; the next attempt meets what became of it
            pause(attempt)
        elif isinstance(step, Write):
            write = step
        else:
            return finish(versions, draft.command, step)
    raise Contended


def visible(row: Item | None) -> Item | None:
    """Return a current row as readers see it: one of version 0 only holds the fence of a first write.

    One with a `Lifetime` is seen only if `ttl.is_alive`.
    """
    return row if row and row.get("version") != 0 else None


def visible_revisions(revisions: KeyQuery, row: VersionedRow) -> KeyQuery:
    """Return the query of the revisions up to a visible current row, without an orphan; the sort key is the version."""
    return revisions._replace(sort=Between(1, row["version"]))


def is_new_version(old: Item | None, new: Item | None) -> bool:
    """Return True if a change of a current row, by its images, is a new version and not only somebody's fence."""
    before, after = ((row or {}).get("version", 0) for row in (old, new))
    return bool(before != after)


def of_versions(meaning: "Meaning") -> "Meaning":
    """Return the meaning of a change of a current row, none of a fence."""

    def fact_of(change: "Change") -> "Fact | None":
        return meaning(change) if is_new_version(change.old, change.new) else None

    return fact_of


def _require_history(versions: Versions[Row], draft: Draft) -> Revisions:
    if versions.revisions is None or versions.revisions.requires is not None:
        raise ValueError("a sequential writer keeps a history and can check no other row")
    if draft.also:
        raise ValueError(f"a sequential writer has no transaction for what is written also: {', '.join(draft.also)}")
    if draft.claims:
        raise ValueError("a sequential writer has no transaction for claims")
    if {ttl.ATTRIBUTE, ttl.DATE} & draft.attributes.keys():
        raise ValueError("the fence would expire with the current row: say until when it lives by a Lifetime")
    if ttl.ATTRIBUTE in versions.revisions.attributes:
        raise ValueError("a revision would expire before its current row: a sequential history is kept")
    return versions.revisions


def _try(
    versions: Versions[Row], revisions: Revisions, draft: Draft, write: Write, lifetime: Lifetime | None
) -> NextStep | None:
    """Make the three writes; return the next step, None if another writer took the fence in between."""
    if write.expected.stands is Stands.NOTHING and lifetime and not lifetime.is_open(draft.command.now_ms):
        found = versions.table.get(versions.key, consistent=True)
        return _decide(draft, versions.row_of(visible(found)), lifetime)
    try:
        fenced = _take_fence(versions, draft, write, lifetime)
    except ConditionFailed as failed:
        return _decide(draft, versions.row_of(visible(failed.row)), lifetime)
    held = {FENCE: fenced[FENCE], **({} if lifetime is None else lifetime.upon(fenced))}
    try:
        _write_revision(revisions, write, fenced[FENCE])
        _write_current(versions, draft._replace(attributes={**draft.attributes, **held}), write)
    except ConditionFailed:
        return None
    return Return(Saved.by(versions.row_of({**write.revision, **draft.attributes})))


def _decide(draft: Draft, row: VersionedRow | None, lifetime: Lifetime | None) -> NextStep:
    """Decide by the row that is in the way of a fence, None if there is none."""
    now_ms, over = draft.command.now_ms, draft.gone or NotFound(OVER)
    if row is None:
        # What the history of a row that has gone holds may be an orphan, and proves no retry.
        return Refuse(Stale(STALE) if lifetime is None or lifetime.is_open(now_ms) else over)
    step = decide_next(draft, RefusedSave(failed={CURRENT: row}))
    if ttl.is_alive(row, now_ms) or is_done(draft, step):
        return step
    return step._replace(otherwise=over) if isinstance(step, CheckRetry) else Refuse(over)


def _take_fence(versions: Versions[Row], draft: Draft, write: Write, lifetime: Lifetime | None) -> Item:
    """Return the current row with the fence that was taken."""
    assign = {"version": write.expected.version}
    if write.expected.stands is Stands.NOTHING:
        condition = Condition(UNSEEN, {"key": versions.table.keys.partition, "version": "version"}, {"unseen": 0})
        assign |= {} if lifetime is None else lifetime.of_fence
    else:
        # Whether a row stands whose deletion is due is chance.
        alive = ALIVE._replace(values={"clock": draft.command.now_ms // 1000})
        condition = both(condition_of(draft, write, versions.table.absent), alive)
    return versions.table.increment(versions.key, FENCE, assign=assign, condition=condition)


def _write_revision(revisions: Revisions, write: Write, fence: int) -> None:
    row = {**revisions.attributes, **write.revision, **revisions.key_of(write.revision["version"]), FENCE: fence}
    names = {"key": revisions.table.keys.partition, "fence": FENCE}
    revisions.table.put(row, condition=Condition(_ABSENT_OR_OLDER, names, {"fence": fence}))


def _write_current(versions: Versions[Row], draft: Draft, write: Write) -> None:
    names, fence = {"version": "version", "fence": FENCE}, draft.attributes[FENCE]
    held = Condition(HELD, names, {"expected": write.expected.version, "fence": fence})
    current_write(versions, draft, write)._replace(condition=held).alone()

"""Optimistic locking towards people: a change names the version it was made for, and the write itself checks it.

Everything here is pure; `versioned_write` does what it decides. A save begins with `write_upon(draft,
expected_by(command))` and reads nothing first. If DynamoDB refuses that write, it returns the row that stands there,
and `decide_next` decides by that row. A delete and a rollback take over what stands there, so they read first:
`decide_on_read`.

The way of an If-Match: `Command.if_match` -> `Expected.version` -> `#version = :expected` in `condition_of`.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypedDict, TypeVar, cast

from andon.dynamodb.expressions import Condition, both
from andon.runtime import strict_json, times
from andon.runtime.errors import Conflict, NotFound, PreconditionRequired, Rejected, Stale
from andon.runtime.marks import NotRequired

if TYPE_CHECKING:
    from andon.versions.also import Also
    from andon.versions.claims import ClaimsOf

STALE: Final = "If-Match names another version than the current one; read again."
_OTHER_ROW: Final = "Something else stands where this would be written."
REQUIRED_IF_MATCH: Final = "It exists: to change it needs If-Match with the current version."

# The writes of one save, by name: the current row, its revision, and the check of another row.
CURRENT: Final = "current"
REVISION: Final = "revision"
REQUIRED: Final = "required"


class VersionedRow(TypedDict):
    """The attributes of each row that has versions, besides its content.

    timestamp: epoch milliseconds. fingerprint: of the command that made this version. digest: of the content.
    since: the version with which its life began; on a revision only if it is that one. deleted: it is a tombstone.
    origin: the service in which it was made, if that is another one, see `andon.sync`.
    """

    version: int
    timestamp: int
    changedBy: str
    fingerprint: str
    digest: str
    since: NotRequired[int]
    deleted: NotRequired[Literal[True]]
    origin: NotRequired[str]


class Changed(TypedDict):
    """Time (fixed-width UTC) and author of a version, in a response."""

    changedAt: str
    changedBy: str


Row = TypeVar("Row", bound=VersionedRow)


def changed(row: VersionedRow) -> Changed:
    """Return when a version was made, and by whom, for a response."""
    return {"changedAt": times.to_utc(row["timestamp"]), "changedBy": row["changedBy"]}


class Command(NamedTuple):
    """A request to change something: its actor, its time, and the version that it expects.

    if_match: None if the request had no If-Match: it creates, or replaces what may be replaced without one.

    fingerprint: see `fingerprint_of`.
    """

    actor: str
    now_ms: int
    if_match: int | None
    fingerprint: str

    @property
    def next_version(self) -> int:
        """The number of the revision that it makes if its expectation holds."""
        return (self.if_match or 0) + 1


def always(row: VersionedRow) -> bool:  # noqa: ARG001  a predicate
    """Return True: any row may be replaced with If-Match only."""
    return True


class Guard(NamedTuple):
    """A bound of the rows that a writer may replace; of any other row it learns nothing but the refusal.

    condition: of the write itself, on the current row. admits: the same of a row that was read, None if there is none.
    """

    condition: Condition
    admits: Callable[[Mapping[str, object] | None], bool]
    otherwise: Rejected


OWNED_SINCE: Final = "ownedSince"
"""On the current row of what once had another owner: since when it has this one, epoch milliseconds."""


class Owner(NamedTuple):
    """The owner that content names, and the condition that the current row names the same."""

    of: Callable[[Mapping[str, Any]], str]
    is_still: Callable[[str], Condition]


class Draft(NamedTuple):
    """A revision that a command wants to be the current one.

    content: what the revision says, compared by its digest; a None is left out. attributes: what else stands on the
    current row. deleted: it is a tombstone, which says nothing of the content but what is kept. revives: it may
    follow a tombstone; else it is refused by `gone`, or as not found. repeats: it is made even if it changes
    nothing. needs_if_match: true if the living row that stands there may be replaced with If-Match only. guard: of
    what stands there, if its writer may not replace everything. also: writes beside it, by name, in the same
    transaction. claims: what nothing else may have, by its content and attributes. owner: of things that change
    hands. upon: the row that it follows, once that was read.
    """

    content: Mapping[str, object]
    attributes: Mapping[str, object]
    command: Command
    deleted: bool = False
    kept: frozenset[str] = frozenset()
    revives: bool = True
    repeats: bool = False
    needs_if_match: Callable[[VersionedRow], bool] = always
    gone: Rejected | None = None
    guard: Guard | None = None
    also: "Mapping[str, Also]" = MappingProxyType({})
    claims: "ClaimsOf | None" = None
    owner: Owner | None = None
    upon: VersionedRow | None = None

    @property
    def said(self) -> dict[str, object]:
        """The content of the revision."""
        names = self.kept if self.deleted else self.content.keys()
        return {name: value for name, value in self.content.items() if value is not None and name in names}

    @property
    def kind(self) -> object:
        """The discriminator of its rows; None: they have none."""
        return self.attributes.get("discriminator")

    @property
    def digest(self) -> str:
        """The digest of the content: equal for revisions that say the same."""
        return digest_of(self.said)


class Stands(Enum):
    """The state of the row that a writer expects."""

    NOTHING = auto()
    ALIVE = auto()
    TOMBSTONE = auto()


class Expected(NamedTuple):
    """The version that a revision follows, which stands there or stood there last; `not_before_ms` is for its stamp."""

    version: int
    stands: Stands
    not_before_ms: int = 0


class Saved(NamedTuple, Generic[Row]):
    """The revision that a command made, now or when it came first; `created`: a life began with it."""

    row: Row
    created: bool

    @classmethod
    def by(cls, revision: Row) -> "Saved[Row]":
        """Return the result of the command that made a revision."""
        return cls(revision, created=revision.get("since") == revision["version"])


class Write(NamedTuple):
    """Next: write this revision on condition that `expected` still stands."""

    expected: Expected
    revision: VersionedRow


class Return(NamedTuple):
    """Next: return this to the caller."""

    saved: Saved[VersionedRow]


class CheckRetry(NamedTuple):
    """Next: read the revision `version`. If this command made it, this is a retry; `otherwise` refuse."""

    version: int
    otherwise: Rejected


class Refuse(NamedTuple):
    """Next: raise this."""

    error: Rejected


LastStep = Return | CheckRetry | Refuse
NextStep = Write | LastStep


class RefusedSave(NamedTuple):
    """The rows that stood in the way of a save that DynamoDB refused.

    failed: name of each write whose condition did not hold -> the row that stood there, None if there was none.
    newest: the newest revision, read if there is no current row. missing: the error, if what is required is missing.
    conflict: the error, if a write beside it (`Draft.also`) was refused.
    """

    failed: Mapping[str, VersionedRow | None]
    newest: VersionedRow | None = None
    missing: Rejected | None = None
    conflict: Rejected | None = None


def require_admitted(guard: Guard | None, row: Mapping[str, object] | None) -> None:
    """Check that a guard, if there is one, admits a row, present or future.

    Raises:
        Rejected: it does not.

    """
    if guard is not None and not guard.admits(row):
        raise guard.otherwise


def fingerprint_of(*, route: str, path: Mapping[str, object], if_match: int | None, body: object, actor: str) -> str:
    """Digest the members that make two requests one command: a retry is recognised on the revision that it made."""
    return digest_of([route, dict(path), if_match, body, actor])


def digest_of(value: object) -> str:
    """Return the SHA-256 of canonical JSON: equal values have equal digests, 60 and 60.0 among them."""
    import hashlib  # noqa: PLC0415  it loads OpenSSL, and a trigger that reads rows makes no digest

    return hashlib.sha256(strict_json.normalised(value).encode()).hexdigest()


def expected_by(command: Command) -> Expected:
    """Return the expectation of a command: nothing, or the living version that its If-Match names."""
    return Expected(0, Stands.NOTHING) if command.if_match is None else Expected(command.if_match, Stands.ALIVE)


def write_upon(draft: Draft, expected: Expected) -> Write:
    """Return the write of a draft as the version that follows `expected`."""
    return Write(expected, revision_of(draft, expected))


def revision_of(draft: Draft, expected: Expected) -> VersionedRow:
    """Return the revision that a draft becomes: its content and its stamp, later than its predecessor's."""
    stamp: VersionedRow = {
        "version": expected.version + 1,
        "timestamp": max(draft.command.now_ms, expected.not_before_ms),
        "changedBy": draft.command.actor,
        "fingerprint": draft.command.fingerprint,
        "digest": draft.digest,
    }
    if expected.stands is not Stands.ALIVE:
        stamp["since"] = stamp["version"]
    if draft.deleted:
        stamp["deleted"] = True
    return cast("VersionedRow", {**draft.said, **stamp})


def is_of(kind: object, row: Mapping[str, object]) -> bool:
    """Return True if a row is a version of a kind: ids that people choose can name other rows of a shared table."""
    return "version" in row and (kind is None or row.get("discriminator") == kind)


def condition_of(draft: Draft, write: Write, absent: Condition) -> Condition:
    """Return the condition on which the current row may be written; absent: that no row at all is there."""
    expected, revision = write.expected, write.revision
    if expected.stands is Stands.NOTHING:
        return absent
    # An entity's timestamps strictly increase: a writer whose clock is behind is refused.
    parts = ["#version = :expected", "#timestamp < :now"]
    names = {name: name for name in ("version", "timestamp")}
    values: dict[str, str | int] = {"expected": expected.version, "now": revision["timestamp"]}
    if expected.stands is Stands.ALIVE:  # a tombstone needs no more: no version is dead and alive in turn
        parts.append("attribute_not_exists(#deleted)")
        names["deleted"] = "deleted"
        if not draft.repeats:  # a change that changes nothing is no revision
            parts.append("#digest <> :digest")
            names["digest"] = "digest"
            values["digest"] = revision["digest"]
    own = _of_kind(draft, _of_owner(draft, expected, Condition(" AND ".join(parts), names, values)))
    return own if draft.guard is None else both(own, draft.guard.condition)


def _of_kind(draft: Draft, own: Condition) -> Condition:
    """Return a condition, and that the row is of the kind; by the attribute's name, which is no reserved word."""
    if draft.kind is None:
        return own
    return own._replace(
        expression=f"{own.expression} AND discriminator = :kind", values={**own.values, "kind": draft.kind}
    )


def _of_owner(draft: Draft, expected: Expected, own: Condition) -> Condition:
    """Return a condition, with one on the owner if a draft guesses it: the refusal returns the present one."""
    if draft.owner is None or draft.upon is not None or expected.stands is not Stands.ALIVE:
        return own
    still = draft.owner.is_still(draft.owner.of(draft.content))
    expression = f"{own.expression} AND {still.expression}"
    return Condition(expression, {**own.names, **still.names}, {**own.values, **still.values})


def owned_since(draft: Draft, revision: VersionedRow) -> dict[str, object]:
    """Return since when the owner has it, for the current row; nothing if it is as it was, or had no other owner."""
    if draft.owner is None or draft.upon is None:
        return {}
    upon: Mapping[str, object] = draft.upon
    if draft.owner.of(upon) != draft.owner.of(draft.content):
        return {OWNED_SINCE: revision["timestamp"]}
    return {OWNED_SINCE: upon[OWNED_SINCE]} if OWNED_SINCE in upon else {}


def decide_next(draft: Draft, refused: RefusedSave) -> NextStep:
    """Decide the next step after a refused write: write again, return, check for a retry, or refuse."""
    if _is_barred(draft, refused):
        return Refuse(Conflict(_OTHER_ROW) if draft.guard is None else draft.guard.otherwise)
    step = _by_version(draft, refused)
    if is_done(draft, step):
        return step
    if draft.guard is not None and not _is_admitted(draft.guard, refused):
        version = step.version if isinstance(step, CheckRetry) else draft.command.next_version
        return CheckRetry(version, draft.guard.otherwise)
    if refused.missing is None:
        return _unless(refused.conflict, step)
    # Nothing is done without what is required, unless it has been done already.
    return step._replace(otherwise=refused.missing) if isinstance(step, CheckRetry) else Refuse(refused.missing)


def _is_barred(draft: Draft, refused: RefusedSave) -> bool:
    """Return True if a row that is no version of this kind is in the way: the current one, or a first revision."""
    current = refused.failed.get(CURRENT)
    if current is not None:
        return not is_of(draft.kind, current)
    return REVISION in refused.failed and refused.newest is None and draft.command.if_match is None


def _unless(conflict: Rejected | None, step: NextStep) -> NextStep:
    """Refuse a write that contradicts another one beside it; other steps stay as they are."""
    return Refuse(conflict) if conflict is not None and isinstance(step, Write) else step


def decide_on_read(row: Row | None, command: Command, guard: Guard | None = None) -> Row | CheckRetry:
    """Decide upon the row that a delete or a rollback read: return it to be taken over, or check for a retry."""
    if guard is not None and not guard.admits(row):
        return CheckRetry(command.next_version, guard.otherwise)
    if row is None or row.get("deleted"):
        return CheckRetry(command.next_version, NotFound("There is no such thing, or not any more."))
    if command.if_match is None:
        return CheckRetry(command.next_version, PreconditionRequired(REQUIRED_IF_MATCH))
    return row if command.if_match == row["version"] else CheckRetry(command.next_version, stale(row))


def stale(row: VersionedRow) -> Stale:
    """Return the refusal of an If-Match by the current row."""
    return Stale(STALE, version=None if row.get("deleted") else row["version"])


def _is_admitted(guard: Guard, refused: RefusedSave) -> bool:
    """Return True if a guard admits the row in the way: the current one, or the newest revision where there is none.

    Where nothing ever stood, or only what is required is missing, there is nothing to guard.
    """
    found = refused.failed.get(CURRENT) or refused.newest
    return found is None or guard.admits(found)


def is_done(draft: Draft, step: NextStep) -> bool:
    """Return True if this very command made the result, and not another one that happens to say the same."""
    return isinstance(step, Return) and step.saved.row["fingerprint"] == draft.command.fingerprint


def _by_version(draft: Draft, refused: RefusedSave) -> NextStep:
    """Decide by versions alone, without the further requirements."""
    if not refused.failed.keys() & {CURRENT, REVISION}:
        # Only what is required was in the way: by its version the command could go ahead. `decide_next` refuses it.
        return write_upon(draft, expected_by(draft.command))
    current = refused.failed.get(CURRENT)
    if current is None:
        return _upon_nothing(draft, refused.newest)
    # A retry is answered as the first time. A tombstone of what was erased says nothing of the command that made it.
    if current.get("fingerprint") == draft.command.fingerprint:
        return Return(Saved.by(current))
    return _upon_tombstone(draft, current) if current.get("deleted") else _upon_living(draft, current)


def _upon_nothing(draft: Draft, newest: VersionedRow | None) -> NextStep:
    """Follow the newest revision: the current row was a tombstone, and the TTL service took it."""
    if newest is None or not _may_revive(draft, newest):
        return CheckRetry(draft.command.next_version, Stale(STALE))
    return write_upon(draft, Expected(newest["version"], Stands.NOTHING, newest["timestamp"] + 1))


def _upon_tombstone(draft: Draft, row: VersionedRow) -> NextStep:
    if _may_revive(draft, row):
        return write_upon(draft, Expected(row["version"], Stands.TOMBSTONE, row["timestamp"] + 1))
    refusal = Stale(STALE) if draft.revives else draft.gone or NotFound("It was deleted.")
    return CheckRetry(draft.command.next_version, refusal)


def _upon_living(draft: Draft, row: VersionedRow) -> NextStep:
    if_match = draft.command.if_match
    if if_match is None and draft.needs_if_match(row):
        # Without If-Match a retry can only be that of the command that began this life: version `since`.
        return CheckRetry(row["since"], PreconditionRequired(REQUIRED_IF_MATCH))
    if if_match not in {None, row["version"]}:
        return CheckRetry(draft.command.next_version, stale(row))
    if row["digest"] == draft.digest and not draft.repeats:
        return Return(Saved(row, created=False))
    return write_upon(draft, Expected(row["version"], Stands.ALIVE, row["timestamp"] + 1))


def _may_revive(draft: Draft, last: VersionedRow) -> bool:
    """Return True if a draft may follow a deletion, or the last revision of a row that is gone."""
    return draft.revives and draft.command.if_match in {None, last["version"]}

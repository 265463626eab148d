"""Optimistic locking towards people: a change carries the version it was made for, and the write itself checks it.

Pure: what a revision looks like, and what the row that a failed condition returned means. There is no read before a
write; that row is the load. `versioned_write` does the I/O.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.expressions import Condition
from patterns.rules.rule import BY, RULE
from patterns.runtime import strict_json
from patterns.runtime.errors import NotFound, PreconditionRequired, Rejected, Stale

STALE = "If-Match names another version than the current one; read again."
REQUIRED = "It exists: to change it needs If-Match with the current version."


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is the same of every command: who wants it, when, of which version (None: of nothing, to create).

    fingerprint: see `fingerprint_of`.
    """

    actor: str
    now_ms: int
    if_match: int | None
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A revision that a command wants to be the current one.

    content: what the revision says, compared by its digest; None is absent. attributes: what else stands on the current
    row. deleted: it is a tombstone. revives: it may follow a tombstone. repeats: it is made even if it changes nothing.
    """

    content: Mapping[str, Any]
    attributes: Mapping[str, Any]
    command: Command
    deleted: bool = False
    revives: bool = True
    repeats: bool = False

    @property
    def digest(self) -> str:
        """Tell revisions that say the same from others."""
        return digest_of({name: value for name, value in self.content.items() if value is not None})


class Stands(Enum):
    """What a writer believes to stand where it writes."""

    NOTHING = auto()
    ALIVE = auto()
    TOMBSTONE = auto()


@dataclass(frozen=True, slots=True)
class Expected:
    """What a revision is put upon: the version that stands there, or stood there last, and when it may be stamped."""

    version: int
    stands: Stands
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class Saved:
    """The revision that a command made, now or the first time it came; `created` says that it began a life."""

    row: Item
    created: bool

    @classmethod
    def by(cls, revision: Item) -> "Saved":
        """Tell of a command from the revision that it made."""
        return cls(revision, created=revision.get("since") == revision["version"])

    def made_by(self, command: Command) -> bool:
        """Tell whether this is what the command made, and not what it found to say the same."""
        return bool(self.row["fingerprint"] == command.fingerprint)


@dataclass(frozen=True, slots=True)
class CheckRetry:
    """Look whether the revision `version` is this command's, come again; `otherwise` it is refused."""

    version: int
    otherwise: Rejected


def fingerprint_of(*, route: str, path: Mapping[str, str], if_match: int | None, body: object, actor: str) -> str:
    """Digest what makes two requests the same command, so that a retry is recognised on the revision it created."""
    return digest_of([route, dict(path), if_match, body, actor])


def digest_of(value: object) -> str:
    """Digest JSON, the same for equal values."""
    return hashlib.sha256(strict_json.canonical(value).encode()).hexdigest()


def expected_by(command: Command) -> Expected:
    """Tell what a command believes to stand: nothing, or, alive, the version that it names."""
    return Expected(0, Stands.NOTHING) if command.if_match is None else Expected(command.if_match, Stands.ALIVE)


def revision_of(draft: Draft, base: Expected) -> Item:
    """Give the attributes of the revision that a draft becomes upon `base`; its timestamp is later than the base's."""
    version = base.version + 1
    revision = {name: value for name, value in draft.content.items() if value is not None} | {
        "version": version,
        "timestamp": max(draft.command.now_ms, base.not_before_ms),
        "changedBy": draft.command.actor,
        "fingerprint": draft.command.fingerprint,
        "digest": draft.digest,
    }
    if base.stands is not Stands.ALIVE:
        revision["since"] = version
    if draft.deleted:
        revision["deleted"] = True
    return revision


def condition_of(draft: Draft, base: Expected, revision: Item) -> Condition:
    """Give the condition under which the current row may be written."""
    if base.stands is Stands.NOTHING:
        return Condition("attribute_not_exists(#version)", {"version": "version"})
    # A writer whose clock is behind must see it: an entity's timestamps strictly increase.
    parts = ["#version = :expected", "#timestamp < :now"]
    names = {name: name for name in ("version", "timestamp", "deleted")}
    values = {"expected": base.version, "now": revision["timestamp"]}
    if base.stands is Stands.TOMBSTONE:
        parts.append("attribute_exists(#deleted)")
    else:
        parts.append("attribute_not_exists(#deleted)")
        if not draft.repeats:  # a change that changes nothing is no revision
            parts.append("#digest <> :digest")
            names["digest"] = "digest"
            values["digest"] = revision["digest"]
    return Condition(" AND ".join(parts), names, values)


def judge(draft: Draft, row: Item | None) -> Saved | Expected | CheckRetry:
    """Tell what a failed condition means, from the row that stood in the way: done, to be put upon that, or refused."""
    command = draft.command
    if row is None:  # only who names a version meets nothing where something was expected
        return CheckRetry((command.if_match or 0) + 1, Stale(STALE))
    if row["fingerprint"] == command.fingerprint:  # a retry answers as the first time did
        return Saved.by(row)
    return _judge_tombstone(draft, row) if row.get("deleted") else _judge_alive(draft, row)


def refusal_of(row: Item | None, command: Command) -> Rejected | None:
    """Tell why a command that takes what stands there (a delete, a rollback) cannot be done, if it cannot."""
    if row is None or row.get("deleted"):
        return NotFound("There is no such thing, or not any more.")
    if command.if_match is None:
        return PreconditionRequired(REQUIRED)
    return None if command.if_match == row["version"] else Stale(STALE)


def _judge_alive(draft: Draft, row: Item) -> Saved | Expected | CheckRetry:
    command = draft.command
    if command.if_match is None and row.get(BY) != RULE:  # what a rule decided, anybody may change
        return CheckRetry(row["since"], PreconditionRequired(REQUIRED))
    if command.if_match not in {None, row["version"]}:
        return CheckRetry(command.if_match + 1, Stale(STALE))
    if row["digest"] == draft.digest and not draft.repeats:
        return Saved(row, created=False)
    return Expected(row["version"], Stands.ALIVE, row["timestamp"] + 1)


def _judge_tombstone(draft: Draft, row: Item) -> Expected | CheckRetry:
    if_match = draft.command.if_match
    if draft.revives and if_match in {None, row["version"]}:
        return Expected(row["version"], Stands.TOMBSTONE, row["timestamp"] + 1)
    refusal = Stale(STALE) if draft.revives else NotFound("It was deleted.")
    return CheckRetry((if_match or 0) + 1, refusal)

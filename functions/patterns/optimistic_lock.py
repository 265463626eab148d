"""Optimistic locking towards people: a change carries the version it was made for, and the write itself checks it.

There is no read before the write: the row that a failed condition returns is the load, and tells what to answer.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patterns import strict_json
from patterns.attribute_values import Item
from patterns.errors import PreconditionRequired, Stale
from patterns.expressions import Condition
from patterns.table import ConditionFailed, Table

ATTEMPTS = 3

ABSENT = "attribute_not_exists(#version)"
# The digest refuses a change that changes nothing; the timestamp, a writer whose clock is behind.
CURRENT = "#version = :expected AND #timestamp < :now AND #digest <> :digest"

STALE = "If-Match names another version than the current one; read again."


class Contended(Exception):
    """The row kept changing under us."""


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

    key: the row's primary key. content: what the revision says. attributes: what else stands on the row.
    """

    key: Mapping[str, Any]
    content: Mapping[str, Any]
    attributes: Mapping[str, Any]
    command: Command

    def row(self, timestamp_ms: int) -> Item:
        """Give the row of this revision, made at `timestamp_ms`."""
        return {
            **self.key,
            **self.content,
            **self.attributes,
            "version": (self.command.if_match or 0) + 1,
            "timestamp": timestamp_ms,
            "changedBy": self.command.actor,
            "digest": digest_of(self.content),
            "fingerprint": self.command.fingerprint,
        }


@dataclass(frozen=True, slots=True)
class Saved:
    """The current row after a command; `created` says that it is the first revision."""

    row: Item
    created: bool


@dataclass(frozen=True, slots=True)
class Again:
    """The writer's clock is behind the row's: write again, stamped with `timestamp_ms`."""

    timestamp_ms: int


def fingerprint_of(*, route: str, path: Mapping[str, str], if_match: int | None, body: object, actor: str) -> str:
    """Digest what makes two requests the same command, so that a retry is recognised on the revision it created."""
    return digest_of([route, dict(path), if_match, body, actor])


def digest_of(value: object) -> str:
    """Digest JSON, the same for equal values."""
    return hashlib.sha256(strict_json.canonical(value).encode()).hexdigest()


def save(table: Table, draft: Draft) -> Saved:
    """Write a revision if the row is as its author believes: one request, a second one if our clock is behind.

    Raises:
        PreconditionRequired: the row exists and the command has no If-Match.
        Stale: the row has another version, or is not there.
        Contended: the row changed at each of `ATTEMPTS` attempts.

    """
    timestamp_ms = draft.command.now_ms
    for _ in range(ATTEMPTS):
        row = draft.row(timestamp_ms)
        try:
            table.put(row, condition=_condition(draft, row))
        except ConditionFailed as failed:
            verdict = judge(draft, failed.row)
            if isinstance(verdict, Saved):
                return verdict
            timestamp_ms = max(timestamp_ms, verdict.timestamp_ms)
        else:
            return Saved(row, created=draft.command.if_match is None)
    raise Contended


def judge(draft: Draft, row: Item | None) -> Saved | Again:
    """Tell what a failed condition means, from the row that stood in the way. Pure.

    Raises:
        PreconditionRequired: there is a row, and no If-Match.
        Stale: If-Match is not the row's version.

    """
    if row is None:
        raise Stale(STALE)
    if row["fingerprint"] == draft.command.fingerprint:  # a retry answers as the first time did
        return Saved(row, created=draft.command.if_match is None)
    if draft.command.if_match is None:
        raise PreconditionRequired("It exists already: a change needs If-Match with the current version.")
    if row["version"] != draft.command.if_match:
        raise Stale(STALE)
    if row["digest"] == digest_of(draft.content):
        return Saved(row, created=False)
    return Again(row["timestamp"] + 1)


def _condition(draft: Draft, row: Item) -> Condition:
    if draft.command.if_match is None:
        return Condition(ABSENT, {"version": "version"})
    return Condition(
        CURRENT,
        {name: name for name in ("version", "timestamp", "digest")},
        {"expected": draft.command.if_match, "now": row["timestamp"], "digest": row["digest"]},
    )

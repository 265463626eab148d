"""An edit of another version of a service -> the owned row that says the same here, under both locks.

Towards the other service it is the inverse oplock: only what is newer by `(timestamp, origin)` is written. Towards
people it is the optimistic lock: the edit is the row's next version, so that whoever has read the version before it is
refused. The row is latched: the trigger publishes nothing of it, or the edit would come back to where it was made.

| the row that stands here is of | outcome     |                                                                   |
|--------------------------------|-------------|-------------------------------------------------------------------|
| no edit, or an older one       | `APPLIED`   | the edit has crossed                                              |
| this edit                      | `DUPLICATE` | it crossed before                                                 |
| a newer edit                   | `STALE`     | it was overtaken: the newer edit crosses the other way, or did so |
"""

import warnings
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from andon.dynamodb import ttl
from andon.dynamodb.client import Put, Table, TransactionConflict
from andon.dynamodb.expressions import Condition
from andon.events.actor import actor_of
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent, Entity
from andon.events.hops import HOPS, hops_after
from andon.events.latch import LATCHED
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.runtime.marks import ResourceEntity
from andon.versions.optimistic_lock import (
    CURRENT,
    OWNED_SINCE,
    Command,
    Draft,
    Expected,
    RefusedSave,
    Row,
    Stands,
    VersionedRow,
    Write,
    digest_of,
    is_of,
    revision_of,
)
from andon.versions.resource import VALID_FROM, Resource, ResourceRow
from andon.versions.versioned_write import ATTEMPTS, Contended, Versions, pause, write_or_refuse
from andon.views.outcome import Outcome

# The order of edits of one thing that two services keep. Pure.
#
# | order | two services that edit at once |
# |---|---|
# | (timestamp, origin) | end in the same row |
# | timestamp alone | keep different rows if both edited in one millisecond |
#
# The id of an event cannot break ties: a command does not know which id its stream will give the change.


class Edit(NamedTuple):
    """An edit's place in the order: when it was made (epoch milliseconds), and in which service.

    A command makes an edit later than the one that it changes, whatever its clock says. So the edits of one row in one
    service have different times, and an edit that was made with knowledge of another comes after it.
    """

    timestamp_ms: int
    origin: str


def edit_of(row: VersionedRow, *, own: str) -> Edit:
    """Return the edit that made a row; `own`: the service that keeps the row."""
    return Edit(row["timestamp"], row.get("origin", own))


# A row that expired can begin again at version 1: the time tells the lives apart.
_AS_FOUND = "#version = :version AND #timestamp = :timestamp"


class EditedRow(NamedTuple):
    """A row as an edit makes it.

    content: what the revision says, as that of a `Draft`. attributes: what else stands on the current row: its
    discriminator, a ttl. deleted: the edit is a deletion, the row a tombstone, of whose content these members are kept.
    """

    content: Mapping[str, object]
    attributes: Mapping[str, object]
    deleted: bool = False
    kept: frozenset[str] = frozenset()


class Crossing(Generic[Row]):
    """A subscription to the edits of another version of a service, behind a latch: event -> `CrossedRow`.

    own, theirs: the two services, as the sources of their events. versions_of: the place of the thing here.
    from_theirs: event and the row that it is written upon -> the next version, which keeps what the other service
    cannot hold. That row is a tombstone if the thing was deleted, the newest revision if the TTL service took the row,
    and None if there never was one. Both are pure, and raise Poison if the event does not say what they need.
    """

    def __init__(
        self,
        *,
        own: str,
        theirs: str,
        versions_of: Callable[[DomainEvent], Versions[Row]],
        from_theirs: Callable[[DomainEvent, Row | None], EditedRow],
    ) -> None:
        self.own, self.theirs = own, theirs
        self.versions_of, self.from_theirs = versions_of, from_theirs

    def __call__(self, event: DomainEvent) -> "CrossedRow[Row]":
        """Decide where an edit is written."""
        return CrossedRow(self, self.versions_of(event), Edit(event.timestamp_ms, self.theirs))


class Upon(NamedTuple):
    """The row that an edit is written upon, or the newest revision if the row is gone (`is_gone`).

    row: None if there is neither.
    """

    row: VersionedRow | None
    is_gone: bool = True

    @classmethod
    def after(cls, refused: RefusedSave) -> "Upon":
        """Return the row that refused a write."""
        row = refused.failed.get(CURRENT)
        return cls(refused.newest) if row is None else cls(row, is_gone=False)

    @property
    def expected(self) -> Expected:
        """The version that the edit follows."""
        version = self.row["version"] if self.row else 0
        if self.is_gone or self.row is None:
            return Expected(version, Stands.NOTHING)
        return Expected(version, Stands.TOMBSTONE if self.row.get("deleted") else Stands.ALIVE)

    def condition(self, absent: Condition) -> Condition:
        """Return the condition that it still stands there; absent: that nothing does."""
        if self.is_gone or self.row is None:
            return absent
        seen = {name: self.row[name] for name in ("version", "timestamp")}
        return Condition(_AS_FOUND, {name: name for name in seen}, seen)


class CrossedRow(NamedTuple, Generic[Row]):
    """A write of an owned row: an edit that was made in another version of the service."""

    crossing: Crossing[Row]
    versions: Versions[Row]
    edit: Edit

    @property
    def target(self) -> Hashable:
        """The row: of several edits the newest alone crosses."""
        return tuple(sorted(self.versions.key.items()))

    @property
    def about_ms(self) -> None:
        """None: edits are in the order of their own times."""

    @property
    def origin(self) -> str:
        """The service in which the edit was made."""
        return self.edit.origin

    def write(
        self,
        table: Table,  # noqa: ARG002  the versions know theirs
        event: DomainEvent,
        *,
        now_ms: int,
        ttl_days: int | None = None,  # noqa: ARG002  an owned row has its own
        replay: Replay | None = None,  # noqa: ARG002  its place in the order is the same
    ) -> Outcome:
        """Write the edit as the next version, unless the row has one that is at least as new.

        Raises:
            Poison: it can never be written.
            Contended: others wrote the row at each of `ATTEMPTS` attempts.

        """
        upon = Upon(None)
        for attempt in range(ATTEMPTS):
            if dropped := self.dropped_upon(upon):
                return dropped
            draft = self._draft(event, upon)
            if not draft.deleted and not ttl.is_alive(draft.attributes, now_ms):
                return Outcome.EXPIRED  # a late duplicate must not resurrect a row that was reaped
            try:
                refused = self._try(draft, upon, hops_after(event))
            except TransactionConflict:
                pause(attempt)
                continue
            if refused is None:
                return Outcome.APPLIED
            upon = Upon.after(refused)
            if upon.row is not None and not upon.is_gone and not is_of(draft.kind, upon.row):
                raise Poison(f"{self.edit.origin} says what would replace a row of another kind")
        raise Contended

    def dropped_upon(self, upon: Upon) -> Outcome | None:
        """Return the outcome of an edit that is not newer than a row; None: it is newer."""
        if upon.row is None:
            return None
        there = edit_of(upon.row, own=self.crossing.own)
        if there == self.edit:
            return Outcome.DUPLICATE
        return Outcome.STALE if there > self.edit else None

    def _draft(self, event: DomainEvent, upon: Upon) -> Draft:
        made = self._content(event, upon)
        fingerprint = digest_of({"crossed": event.id})
        command = Command(actor_of(event), self.edit.timestamp_ms, if_match=None, fingerprint=fingerprint)
        return Draft(made.content, made.attributes, command, deleted=made.deleted, kept=made.kept)

    def _content(self, event: DomainEvent, upon: Upon) -> EditedRow:
        try:
            return self.crossing.from_theirs(event, self.versions.row_of(upon.row))
        except Poison:
            raise
        except Exception as error:  # it is pure: it would fail in the same way for ever
            raise Poison(f"{self.edit.origin} says what cannot be said here") from error

    def _try(self, draft: Draft, upon: Upon, hops: int) -> RefusedSave | None:
        """Write the whole row, so that nothing of the one before is left, and its revision; None: it is written."""
        expected = upon.expected
        revision: VersionedRow = {**revision_of(draft, expected), "origin": self.edit.origin}
        row: dict[str, object] = {**revision, **draft.attributes, LATCHED: True, HOPS: hops}
        if expected.stands is Stands.ALIVE and upon.row is not None and "since" in upon.row:
            row["since"] = upon.row["since"]
        if self.versions.latest_as is not None:
            row[self.versions.latest_as] = revision["version"]
        current = Put(self.versions.table, {**self.versions.key, **row}, upon.condition(self.versions.table.absent))
        return write_or_refuse(self.versions, current, Write(expected, revision))


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name != "Content":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        warnings.warn(f"{__name__}.Content is now EditedRow", DeprecationWarning, stacklevel=2)
        return EditedRow


# Crossings that map the entity of an event: of a single row, and of a resource with its history. Pure.

Theirs = TypeVar("Theirs")
Ours = TypeVar("Ours")
OwnRow = TypeVar("OwnRow", bound=ResourceRow)
OwnEntity = TypeVar("OwnEntity", bound=ResourceEntity)


def row_crossing(
    *,
    own: str,
    theirs: str,
    entity_in: Callable[[DomainEvent], Theirs],
    from_theirs: Callable[[Theirs, Row | None], Ours],
    versions_of: Callable[[Ours], Versions[Row]],
    content_of: Callable[[Ours, int], EditedRow],
) -> Crossing[Row]:
    """Return the crossing of edits of `theirs` into `own`.

    An edit that crosses claims nothing: drafts with `claims` and a crossing do not go together.

    entity_in: the entity of their event; raises if there is none. from_theirs: that, and the row that it changes ->
    the entity here. content_of: that, and when the edit was made (epoch milliseconds) -> the next version.
    """

    def place(event: DomainEvent) -> Versions[Row]:
        return versions_of(from_theirs(entity_in(event), None))

    def content(event: DomainEvent, upon: Row | None) -> EditedRow:
        return content_of(from_theirs(entity_in(event), upon), event.timestamp_ms)

    return Crossing(own=own, theirs=theirs, versions_of=place, from_theirs=content)


def resource_crossing(
    resource: Resource[OwnRow, OwnEntity],
    *,
    own: str,
    theirs: str,
    entity_in: Callable[[DomainEvent], Theirs],
    from_theirs: Callable[[Theirs, OwnRow | None], OwnEntity],
) -> Crossing[OwnRow]:
    """Return the crossing of edits of `theirs` into a resource of `own`; see `row_crossing`.

    Raises:
        ValueError: the resource has unique fields. An edit that crosses claims nothing: each side could give the same
            value to another thing, and neither could be refused any more.

    """
    if resource.unique:
        raise ValueError(
            f"{own} takes over edits of {theirs}, and its {resource.kind} has unique fields: "
            f"{', '.join(sorted(resource.unique))}. Edits that cross claim nothing, so two could have the same. Leave "
            f"unique= out of the Resource until one of both services is gone"
        )

    def content_of(ours: OwnEntity, made_ms: int) -> EditedRow:
        since = ours.get(OWNED_SINCE)
        owned = {} if since is None else {OWNED_SINCE: times.to_ms(str(since))}
        if ours.get("deleted") is True:
            tombstone = resource.tombstone_of(ours["id"], made_ms) | owned
            return EditedRow(ours, tombstone, deleted=True, kept=resource.kept)
        return EditedRow(resource.content_of(ours), resource.mark_of(ours["id"]) | owned)

    return row_crossing(
        own=own,
        theirs=theirs,
        entity_in=entity_in,
        from_theirs=from_theirs,
        versions_of=lambda ours: resource.versions_of(ours["id"]),
        content_of=content_of,
    )


def resource_in(event: DomainEvent, name: str, *texts: str) -> Entity:
    """Return the entity of an event about a resource, which has an id and these texts.

    Raises:
        Poison, ValueError: it has not; or since when it is so, or has its owner, is no fixed-width UTC time.

    """
    entity = event.entity(name)
    for text in ("id", *texts):
        entity.text(text)
    for time in {VALID_FROM, OWNED_SINCE} & entity.fields.keys():
        times.require_fixed(entity.text(time))
    return entity

"""Crossings that map the entity of an event: of a single row, and of a resource with its history. Pure."""

from collections.abc import Callable
from typing import TypeVar

from andon.events.domain_event import DomainEvent, Entity
from andon.runtime import times
from andon.runtime.marks import ResourceEntity
from andon.sync.crossing import Crossing, EditedRow
from andon.versions.optimistic_lock import OWNED_SINCE, Row
from andon.versions.resource import VALID_FROM, Resource, ResourceRow
from andon.versions.versioned_write import Versions

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

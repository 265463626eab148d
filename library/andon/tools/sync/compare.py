"""Compares two versions of a service: the rows of one, as the other would take them over. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.dynamodb.ttl import is_alive
from andon.events.actor import ACTOR
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Facts
from andon.events.identifiers import of_content
from andon.events.topic import Topic
from andon.runtime import times
from andon.sync.crossing import Crossing, Edit, edit_of
from andon.versions.versioned_write import Versions

if TYPE_CHECKING:
    from andon.versions.optimistic_lock import VersionedRow

DELETED: Final = "deleted"

Crossings = Mapping[Topic, Crossing[Any]]
"""Subscriptions of a service to its other version."""


class PublishedRows(NamedTuple):
    """The rows of a service, and what it publishes of them."""

    facts: Facts
    rows: Iterable[Item]


class SyncDifference(NamedTuple):
    """A row of one service that the other does not have so.

    source, into: the services. edit: that made the row here. there: the one that made it there, None if there is no
    row. fields: name -> what the row there says, and what it would say. event: what brings the row over.
    """

    source: str
    into: str
    key: Attributes
    edit: Edit
    there: Edit | None
    fields: Mapping[str, tuple[object, object]]
    event: DomainEvent

    @property
    def is_ahead(self) -> bool:
        """True if the row is newer here: its event is still on its way, or was published before the other one was."""
        return self.there is None or self.there < self.edit

    @property
    def is_sent(self) -> bool:
        """True if the row can be brought over: an edit crosses only from the service where it was made."""
        return self.is_ahead and self.edit.origin == self.source

    @property
    def message(self) -> str:
        """The message that brings the row over, for the queue of the other service."""
        return to_message(self.event, source=self.source)

    def __str__(self) -> str:
        where = f"{self.into} {' '.join(map(str, self.key.values()))}"
        if self.there is None:
            return f"{where}: is not there; {self.source} has it of {_named(self.edit)}"
        if self.is_ahead:
            return f"{where}: is of {_named(self.there)}; {self.source} has it of {_named(self.edit)}"
        said = "; ".join(f"{name} is {found!r}, not {wanted!r}" for name, (found, wanted) in self.fields.items())
        return f"{where}: {said}, though both are of {_named(self.edit)}"


def differences(
    ours: PublishedRows, theirs: Mapping[str, Iterable[Item]], crossings: Crossings, *, now_ms: int
) -> Iterator[SyncDifference]:
    """Compare the rows of a service with those of its other version.

    theirs: environment variable of a table -> its rows. crossings: what the other version does about our edits. A row
    that is older here than there is found the other way round.
    """
    source = ours.facts.source
    indexed: dict[str, dict[str, Item]] = {}
    for row in ours.rows:
        event = _event_of(row, ours.facts) if is_alive(row, now_ms) else None
        crossing = crossings.get((source, event.type)) if event else None
        if event is None or crossing is None:
            continue
        versions = crossing.versions_of(event)
        found = _row_at(versions, theirs, indexed)
        edit, there = _edit(row, source), _edit(found, crossing.own) if found else None
        fields = _fields(crossing, event, found) if there == edit else {}
        if fields or there is None or there < edit:
            yield SyncDifference(source, crossing.own, versions.key, edit, there, fields, event)


def _event_of(row: Item, facts: Facts) -> DomainEvent | None:
    """Return the event that the row was published by, or would have been."""
    fact = facts.fact_of(Change(kind="INSERT", old=None, new=row))
    if fact is None:
        return None
    return DomainEvent(
        id=of_content([facts.source, fact.type, fact.timestamp_ms, dict(fact.entity)], digits=32),
        type=fact.type,
        timestamp_ms=fact.timestamp_ms,
        partition_key=fact.partition_key,
        entities={fact.entity_name: dict(fact.entity)},
        tags={"source": facts.source, ACTOR: fact.actor},
    )


def _row_at(
    versions: Versions[Any], theirs: Mapping[str, Iterable[Item]], indexed: dict[str, dict[str, Item]]
) -> Item | None:
    """Return the row at the key of some versions; indexed: variable of a table -> its rows by place."""
    variable, names = versions.table.variable, versions.table.keys.names
    if variable not in indexed:
        indexed[variable] = {_place(one, names): one for one in theirs[variable]}
    return indexed[variable].get(_place(versions.key, names))


def _fields(crossing: Crossing[Any], event: DomainEvent, found: Item | None) -> dict[str, tuple[object, object]]:
    """Return the fields of the found row that the edit would change: old and new value by name."""
    there, made = found or {}, crossing.from_theirs(event, found)
    stored = to_plain(to_typed({name: value for name, value in made.content.items() if value is not None}))
    wanted = {**dict.fromkeys(made.content), **stored, DELETED: True if made.deleted else None}
    return {name: (there.get(name), value) for name, value in wanted.items() if there.get(name) != value}


def _edit(row: Item, own: str) -> Edit:
    return edit_of(cast("VersionedRow", row), own=own)


def _place(row: Attributes, names: tuple[str, ...]) -> str:
    return repr([row[name] for name in names])


def _named(edit: Edit) -> str:
    return f"{times.to_utc(edit.timestamp_ms)} in {edit.origin}"

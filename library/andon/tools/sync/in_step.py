"""`make in-step`: compare all rows of two versions of a service, and show what they do not say alike.

What is on its way is waited for. With SEND=1 what one side lacks is sent to it: its first rows, when the new version
has just been deployed, and whatever was lost. It crosses as any edit does, in the order of edits, so that nothing newer
is overwritten. What a side lacks of its own edits is shown and not sent: nobody else can publish them. They are in its
backup, and any edit of the row, on either side, puts it in step.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from andon.cdk.names import pascal
from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.dynamodb.ttl import is_alive
from andon.events.actor import ACTOR
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Facts
from andon.events.identifiers import of_content
from andon.events.topic import Topic
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.runtime import clock, times
from andon.sync.crossing import Crossing, Edit, edit_of
from andon.tools.called import as_called
from andon.tools.listings import rows_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed, deployed
from andon.versions.versioned_write import Versions
from andon.wire.queue import DelayedMessage, entries_of

# Compares two versions of a service: the rows of one, as the other would take them over. Pure.

if TYPE_CHECKING:
    from andon.versions.optimistic_lock import VersionedRow

_DELETED: Final = "deleted"

_Crossings = Mapping[Topic, Crossing[Any]]
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
    ours: PublishedRows, theirs: Mapping[str, Iterable[Item]], crossings: _Crossings, *, now_ms: int
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
    wanted = {**dict.fromkeys(made.content), **stored, _DELETED: True if made.deleted else None}
    return {name: (there.get(name), value) for name, value in wanted.items() if there.get(name) != value}


def _edit(row: Item, own: str) -> Edit:
    return edit_of(cast("VersionedRow", row), own=own)


def _place(row: Attributes, names: tuple[str, ...]) -> str:
    return repr([row[name] for name in names])


def _named(edit: Edit) -> str:
    return f"{times.to_utc(edit.timestamp_ms)} in {edit.origin}"


PATIENCE_S: Final = 30.0
AGAIN_S: Final = 0.5
SHOWN: Final = 20  # rows; all are counted


class CrossingWay(NamedTuple):
    """The way on which edits of a service cross into its other version."""

    source: Package
    into: Package
    crossings: _Crossings


def ways() -> list[CrossingWay]:
    """Return every way on which edits cross."""
    return [
        CrossingWay(Package("services", source), into, _crossings(into, source))
        for into in services()
        for source in sorted({source for source, _ in into.latched})
    ]


def _crossings(into: Package, source: str) -> dict[tuple[str, str], Crossing[Any]]:
    on = into.load("subscriptions").ON
    return {topic: on[topic] for topic in into.latched if topic[0] == source}


def out_of_step(stack: Deployed) -> list[SyncDifference]:
    """Return the current differences between the versions of all services."""
    every = ways()
    rows = {
        variable: _rows(stack, package, variable)
        for package in {way.source for way in every} | {way.into for way in every}
        for variable, schema in package.tables.items()
        if schema.stream
    }
    return [found for way in every for found in _between(way, rows)]


def _between(way: CrossingWay, rows: Mapping[str, list[Item]]) -> Iterator[SyncDifference]:
    mine = [row for variable in way.source.tables if variable in rows for row in rows[variable]]
    ours = PublishedRows(way.source.facts, mine)
    theirs = {variable: rows[variable] for variable in way.into.tables if variable in rows}
    return differences(ours, theirs, way.crossings, now_ms=clock.now_ms())


def _rows(stack: Deployed, package: Package, variable: str) -> list[Item]:
    table = stack.output(pascal(variable), package)
    return [*map(to_plain, rows_of(stack.client("dynamodb"), table))]


def settled(stack: Deployed, *, patience_s: float) -> list[SyncDifference]:
    """Return the differences that are left when everything on its way should have come."""
    until = time.monotonic() + patience_s
    while (found := out_of_step(stack)) and time.monotonic() < until:
        time.sleep(AGAIN_S)
    return found


def send(stack: Deployed, found: list[SyncDifference]) -> int:
    """Send what one side lacks to its queue; return how many rows."""
    by_service: dict[str, list[str]] = {}
    for one in found:
        if one.is_sent:
            by_service.setdefault(one.into, []).append(one.message)
    for name, messages in by_service.items():
        queue = stack.output(f"{pascal(name)}QueueUrl", Package("services", name))
        for entries in entries_of(map(DelayedMessage, messages)):
            if stack.client("sqs").send_message_batch(QueueUrl=queue, Entries=entries).get("Failed"):
                raise ToolFailed("not all rows could be sent; try again")
    return sum(map(len, by_service.values()))


def lines_of(found: list[SyncDifference]) -> Iterator[str]:
    """Yield the report: the number of differences of each pair, and a line for each row shown."""
    for way in ways():
        differing = [one for one in found if (one.source, one.into) == (way.source.name, way.into.name)]
        yield f"{way.source.name} -> {way.into.name}: {f'not alike: {len(differing):,}' if differing else 'in step'}"
        yield from (f"  {one}" for one in differing[:SHOWN])


def main() -> int:
    """Entry point; 1 if anything differs."""
    options = _options()
    stack = deployed(options.stack)
    found = settled(stack, patience_s=0 if options.send else options.patience)
    if options.send:
        print(f"sent: {send(stack, found):,}")
        found = settled(stack, patience_s=options.patience)
    print("\n".join(lines_of(found)) or "no service here is another version of one")
    return int(bool(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("in-step"), description=__doc__)
    parser.add_argument("--send", action="store_true", help="send what one side lacks to it")
    parser.add_argument("--patience", type=float, default=PATIENCE_S, help="seconds to wait for what is on its way")
    parser.add_argument("--stack", help="the name of a stack on AWS; otherwise the one on this machine")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

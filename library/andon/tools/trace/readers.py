"""Readers of a fact, and what the rows of views say of it. Pure, but for `RowOf`.

| row of the view                             | says                           |
|---------------------------------------------|--------------------------------|
| its newest under the fact's oplock is it    | `seen`                         |
| … is something newer                        | `overtaken` by the newer event |
| … is older, or there is none                | `not seen`                     |
| there is no such row, or it was removed     | `gone`                         |
| nobody can read it here, or it is in S3     | `unknown`                      |
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.events.upcast import upcast
from andon.packages.discovery import subscribers_of, woken_by
from andon.packages.package import Package
from andon.runtime.tried import Failed, tried
from andon.tools.trace.facts import TracedFact
from andon.tools.views.compare import event_id
from andon.views.view_update import ViewUpdate, event_order, oplock_attribute
from andon.views.view_updates import updates_in

if TYPE_CHECKING:
    from andon.views.view_update import Subscriptions

RowOf = Callable[[Package, Mapping[str, str]], Item | None]
"""Reads a row of a view, by its key; None: there is none."""


class Has(StrEnum):
    """A row of a view beside a fact."""

    SEEN = "seen"
    OVERTAKEN = "overtaken"
    NOT_SEEN = "not seen"
    GONE = "gone"
    UNKNOWN = "unknown"


class FactReader(NamedTuple):
    """A reader of a fact; by: the event that overtook it. pushes: screens are told of what changes in its row."""

    name: str
    has: Has = Has.UNKNOWN
    by: str = ""
    pushes: bool = False


STORES: Final = "stores"


def readers_of(fact: TracedFact, row_of: RowOf | None) -> tuple[FactReader, ...]:
    """Return the readers of a fact, by name; without `row_of` nobody knows what rows say."""
    topic = fact.source, fact.event.type
    found = {package.name: package for package in subscribers_of(*topic) if package.side != STORES}
    readers = {name: _reader(package, fact, row_of) for name, package in found.items()}
    readers |= {f"{one.name} (sender)": FactReader(f"{one.name} (sender)") for one in woken_by(*topic)}
    return tuple(reader for _, reader in sorted(readers.items()))


def _reader(package: Package, fact: TracedFact, row_of: RowOf | None) -> FactReader:
    pushes = package.plays("push")
    if row_of is None or package.side != "views" or package.objects is not None:
        return FactReader(package.name, pushes=pushes)
    updates = tried(_updates, package, fact)
    if isinstance(updates, Failed) or not updates:
        return FactReader(package.name, pushes=pushes)
    says = [_says(update, fact, row_of(package, update.key)) for update in updates]
    has, by = min(says, key=lambda one: _LEAST.index(one[0]))
    return FactReader(package.name, has, by, pushes)


_LEAST: Final = (Has.NOT_SEEN, Has.GONE, Has.OVERTAKEN, Has.SEEN, Has.UNKNOWN)
"""Of several rows of one fact, what the least of them says."""


def _updates(package: Package, fact: TracedFact) -> tuple[ViewUpdate, ...]:
    event = upcast(fact.event, package.upcasters, source=fact.source)
    on: Subscriptions = package.load("view").ON
    return updates_in(on[fact.source, event.type](event))


def _says(update: ViewUpdate, fact: TracedFact, row: Item | None) -> tuple[Has, str]:
    if row is None:
        return Has.GONE, ""
    order = event_order(fact.event, update.about_ms, update.origin)
    seen = row.get(oplock_attribute(update.oplock))
    if not isinstance(seen, str) or seen < order:
        return Has.NOT_SEEN, ""
    return (Has.SEEN, "") if seen == order else (Has.OVERTAKEN, event_id(seen))

"""The update of several rows by one event: of the object that an entry enters, and of those that it leaves."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.views.oplocked_fields import RowStore
from andon.views.outcome import Outcome
from andon.views.view_update import RowWrite, ViewUpdate

GONE: Final = "gone"
"""The attribute of a row whose entry lies elsewhere by now: a tombstone, which refuses what is older than its event."""

_MOST_TELLING: Final = (Outcome.APPLIED, Outcome.DUPLICATE, Outcome.STALE, Outcome.EXPIRED)


class ViewUpdates(NamedTuple):
    """Updates of different rows by one event, not in one transaction: after a crash the retry writes the rest."""

    all: tuple[ViewUpdate, ...]

    @property
    def target(self) -> Hashable:
        """The rows, together: the newest event about the same ones settles those before it."""
        return tuple(update.target for update in self.all)

    @property
    def about_ms(self) -> int | None:
        """The time that orders them, which all have in common."""
        return self.all[0].about_ms if self.all else None

    @property
    def origin(self) -> str:
        """The origin that all have in common."""
        return self.all[0].origin if self.all else ""

    def write(
        self, table: RowStore, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write each row."""
        return together(one.write(table, event, ttl_days=ttl_days, now_ms=now_ms, replay=replay) for one in self.all)


OnObjects = Mapping[Topic, Callable[[DomainEvent], ViewUpdate | ViewUpdates]]
"""`(source, type)` -> the update of a view in objects, or those of several rows of it."""


def entered(update: ViewUpdate, *left: Attributes) -> ViewUpdates:
    """Return the update of an entry where it is now, and of the rows that it has left, by their keys.

    There it leaves a tombstone under the same oplock, for as long as an older event may still come. So whichever event
    comes first, the entry is where its newest event says, and nowhere else. Each event about the entry says all of it.
    """
    keys = [key for key in left if key != update.key]
    gone = {**dict.fromkeys(update.fields), GONE: True}
    tombstones = (replace(update, key=key, key_fields={}, fields=gone) for key in keys)
    return ViewUpdates((replace(update, fields={**update.fields, GONE: None}), *tombstones))


def updates_in(write: RowWrite) -> tuple[ViewUpdate, ...]:
    """Return the view updates that a write consists of; none for other writes."""
    if isinstance(write, ViewUpdates):
        return write.all
    return (write,) if isinstance(write, ViewUpdate) else ()


def present_in(write: RowWrite) -> tuple[ViewUpdate, ...]:
    """Return the updates that show something: those that leave no tombstone."""
    return tuple(update for update in updates_in(write) if not update.fields.get(GONE))


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of a message that changed several rows, or none: the most telling one."""
    return min(outcomes, key=_MOST_TELLING.index)

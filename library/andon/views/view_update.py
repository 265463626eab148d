"""The update of a view by one event: fields of a row, under an inverse oplock; the newest event writes, in any order.

*Newer* is the total order (timestamp, event id), kept as sortable text in one attribute per set of fields. Where two
versions of a service write one set, it is (timestamp, origin, event id): the rows of both services and the view must
take the same one of two edits of one millisecond.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.client import ConditionFailed, Table
from andon.dynamodb.expressions import Condition
from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.runtime.errors import Poison
from andon.views.oplocked_fields import OPLOCK, OplockedFields, RowStore, remove_surplus
from andon.views.outcome import Outcome
from andon.views.row_life import (
    REBUILT,
    Permanent,
    RebuiltUntilAnchored,
    RebuiltUntilNewestExpires,
    RowLife,
    UntilAnchored,
    UntilNewestExpires,
    WriteAttempt,
)

if TYPE_CHECKING:  # queries need no messages
    from andon.events.received import Received

# A listener's write of one event, and the store that it writes to.


class RowWrite(Protocol):
    """A write of one row: some fields of it under an oplock (`ViewUpdate`), or the event itself (`Collected`)."""

    @property
    def target(self) -> Hashable:
        """The row, or a part of it: of several writes with the same target, the newest alone is enough."""

    @property
    def about_ms(self) -> int | None:
        """The time that orders writes of one target before the event's own; None: the event's alone does."""

    @property
    def origin(self) -> str:
        """The service of its event, if two of them write its target; it breaks ties before the event's id does."""

    def write(
        self, table: Table, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write the row. `ttl_days`: how long the view keeps its rows, from the event's time; None: for ever.

        replay: the event comes again from the lake, to bring something back or to rebuild the view.

        Raises:
            Poison: it can never be written.

        """


Subscriptions = Mapping[tuple[str, str], Callable[[DomainEvent], RowWrite]]
"""`(source, type)` -> the write of such an event."""


# Inverse optimistic locking: an event that comes again, or behind a newer one, is dropped here.

ATTEMPTS = 10

NO_TTL = (
    "expires_at needs TTL_DAYS in view.py: so many days an event may be on its way, and a row is kept as long as its "
    "events, whatever its date"
)

ABOUT = "about#"
ORIGIN = "@"

NEWER = "(attribute_not_exists(#oplock) OR #oplock < :oplock)"
# To rehydrate, an event is written over itself: it has another ttl. A replay rebuilds, and takes `NEWER`.
_NOT_OLDER = "(attribute_not_exists(#oplock) OR #oplock <= :oplock)"
OUTLIVED = "#oplock > :oplock AND #ttl > :now AND #ttl < :ttl"
# To a rebuild no row has expired.
EVER_OUTLIVED = "#oplock > :oplock AND #ttl < :ttl"


class RowContended(Exception):
    """The row changed between all attempts; the message must come again."""


def event_order(event: DomainEvent, about_ms: int | None = None, origin: str = "") -> str:
    """Return the order of an event as text: 13 digits of epoch milliseconds, then the id to break ties.

    An `origin` comes between them, and `about_ms` before them, see `OplockedFields`. The text of either lies behind all
    text without it, for `@` and letters sort behind `#` and digits: a row that was written before its fields had one is
    replaced by the next event.
    """
    return order_at(event.timestamp_ms, event.id, about_ms, origin)


def order_at(timestamp_ms: int, event_id: str, about_ms: int | None, origin: str = "") -> str:
    """Return the order of the event with that time and id; without an id it is how all orders of that time begin."""
    of_origin = f"{ORIGIN}{origin}" if origin else ""
    order = f"{timestamp_ms:013d}{of_origin}#{event_id}"
    return order if about_ms is None else f"{ABOUT}{about_ms:013d}#{order}"


def milliseconds_of(order: str) -> int:
    """Return the first time in an order: of the event's subject, or of the event; it grows with the order."""
    return int(order.removeprefix(ABOUT)[:13])


def oplock_attribute(name: str) -> str:
    """Return the name of the attribute that keeps the order of the newest event seen under an oplock."""
    return f"{OPLOCK}{name}"


def put_if_newer(
    table: RowStore, update: OplockedFields, event: DomainEvent, *, ttl_days: int | None, now_ms: int
) -> Outcome:
    """Write `update` unless the row has seen something at least as new under the same oplock: one request, rarely two.

    Raises:
        Poison: it says a date, and the view has no ttl.
        RowContended: the row kept changing between `ATTEMPTS` attempts.

    """
    if ttl_days is None:
        return _write(table, update, event, _life_without_ttl(update, now_ms))
    expires_at = ttl.ttl_at(event.timestamp_ms, ttl_days)
    if ttl.is_expired(expires_at, now_ms):
        return Outcome.EXPIRED  # a late duplicate must not resurrect a row that was reaped
    if update.expires_at is not None:
        return _write(table, update, event, UntilNewestExpires(max(expires_at, update.expires_at), now_ms // 1000))
    life = UntilNewestExpires(expires_at, now_ms // 1000)
    return _write(table, update, event, life)


def rehydrate(table: RowStore, update: OplockedFields, event: DomainEvent, *, until: int, now_ms: int) -> Outcome:
    """Write a replayed `update` unless the row has seen something newer; either way it lives until `until`, at least.

    An expired row that is still there is replaced, as if it were not; one whose date has passed is shown again.
    until: epoch seconds.

    Raises:
        RowContended: the row kept changing between `ATTEMPTS` attempts.

    """
    if ttl.is_expired(until, now_ms):
        return Outcome.EXPIRED
    if update.expires_at is not None:
        until = max(until, update.expires_at)
    life = UntilNewestExpires(expires_at=until, now=now_ms // 1000)
    return _write(table, update, event, life, outlives=life)


def rebuild(
    table: RowStore, update: OplockedFields, event: DomainEvent, *, ttl_days: int | None, now_ms: int
) -> Outcome:
    """Write a replayed `update` unless the row has seen something at least as new; no event comes too late.

    The row is as if it had lived through its events: it expires with the newest of them, even if that is long ago.

    Raises:
        RowContended: the row kept changing between `ATTEMPTS` attempts.

    """
    return _write(table, update, event, _rebuilt_life(update, event, ttl_days, now_ms))


def _rebuilt_life(update: OplockedFields, event: DomainEvent, ttl_days: int | None, now_ms: int) -> RowLife:
    if ttl_days is not None:
        expires_at = max(ttl.ttl_at(event.timestamp_ms, ttl_days), update.expires_at or 0)
        return RebuiltUntilNewestExpires(expires_at=expires_at, now=now_ms // 1000)
    _require_no_date(update)
    if update.anchor is None:
        return Permanent()
    return RebuiltUntilAnchored(
        anchor=oplock_attribute(update.anchor.oplock),
        anchors=update.oplock == update.anchor.oplock,
        expires_at=ttl.ttl_at(event.timestamp_ms, update.anchor.skeleton_days),
        now=now_ms // 1000,
    )


def _require_no_date(update: OplockedFields) -> None:
    if update.expires_at is not None:
        raise Poison(NO_TTL)


def _life_without_ttl(update: OplockedFields, now_ms: int) -> RowLife:
    _require_no_date(update)
    if update.anchor is None:
        return Permanent()
    return UntilAnchored(
        anchor=oplock_attribute(update.anchor.oplock),
        anchors=update.oplock == update.anchor.oplock,
        expires_at=ttl.ttl_at(now_ms, update.anchor.skeleton_days),
        now=now_ms // 1000,
    )


def _write(  # noqa: PLR0915  one loop: try, look at what stands there, decide
    table: RowStore,
    update: OplockedFields,
    event: DomainEvent,
    life: RowLife,
    *,
    outlives: UntilNewestExpires | None = None,
) -> Outcome:
    """Write an update; `outlives`: it is rehydrated, and a row that has seen something newer lives as long."""
    order = event_order(event, update.about_ms, update.origin)
    shown_until = update.expires_at if update.expires_at is None or outlives is None else outlives.expires_at
    attempt, found, newer = life.first, None, NEWER if outlives is None else _NOT_OLDER
    for _ in range(ATTEMPTS):
        try:
            row = _try(table, update, order, attempt, found, newer, shown_until)
        except ConditionFailed as failed:
            found, attempt = failed.row, life.after(failed.row)
            dropped = None if attempt.replaces else _why_dropped(found, oplock_attribute(update.oplock), order)
            if outlives is None and dropped:
                if dropped is Outcome.STALE and not _keeps_date(table, update, order, life, found):
                    continue
                _bound(table, update, found)
                return dropped
            if outlives and dropped is Outcome.STALE and (settled := _outlive(table, update, order, outlives, found)):
                return settled
        else:
            # What was written and removed at once is older than all that its family keeps.
            return Outcome.STALE if update.oplock in _bound(table, update, row) else Outcome.APPLIED
    raise RowContended


def _keeps_date(table: RowStore, update: OplockedFields, order: str, life: RowLife, found: Item | None) -> bool:
    """Keep a row until the date of an update, too, of which it has seen a newer one; False: the row has changed.

    So a row is kept until the latest of its dates, in whichever order they came, and shown until that of the newest.
    """
    if update.expires_at is None or not isinstance(life, UntilNewestExpires | RebuiltUntilNewestExpires):
        return True
    return _outlive(table, update, order, life, found) is not None


def _outlive(
    table: RowStore,
    update: OplockedFields,
    order: str,
    life: UntilNewestExpires | RebuiltUntilNewestExpires,
    found: Item | None,
) -> Outcome | None:
    """Raise the ttl of a row that has seen something newer; None: the row has changed meanwhile."""
    if (found or {}).get(ttl.ATTRIBUTE, life.expires_at) >= life.expires_at:
        return Outcome.STALE
    names = {"oplock": oplock_attribute(update.oplock), "ttl": ttl.ATTRIBUTE}
    values, is_live = {"oplock": order, "ttl": life.expires_at}, isinstance(life, UntilNewestExpires)
    condition = Condition(
        OUTLIVED if is_live else EVER_OUTLIVED, names, {**values, "now": life.now} if is_live else values
    )
    remove = () if is_live or life.expires_at <= life.now else (REBUILT,)
    try:
        table.update(update.key, assign={ttl.ATTRIBUTE: life.expires_at}, remove=remove, condition=condition)
    except ConditionFailed:
        return None
    return Outcome.APPLIED


def _try(
    table: RowStore,
    update: OplockedFields,
    order: str,
    attempt: WriteAttempt,
    found: Item | None,
    newer: str,
    shown_until: int | None,
) -> Item | None:
    """Make one write; return the row as it is then, if the update's family must know it."""
    assign, remove = _changes(update, order, attempt, found, shown_until)
    condition = attempt.condition if attempt.replaces else _and_newer(newer, attempt.condition, update, order)
    if update.family is None:
        table.update(update.key, assign=assign, remove=remove, condition=condition)
        return None
    return table.update_and_return(update.key, assign=assign, remove=remove, condition=condition)


def _changes(  # noqa: PLR0915  a list of attributes, each under its condition
    update: OplockedFields, order: str, attempt: WriteAttempt, found: Item | None, shown_until: int | None
) -> tuple[Attributes, tuple[str, ...]]:
    """Return the attributes to assign and to remove."""
    assign: Item = {**update.key_fields}
    remove = []
    for name, value in update.fields.items():
        if value is None:
            remove.append(name)
        else:
            assign[name] = value
    assign[oplock_attribute(update.oplock)] = order
    if attempt.expires_at is not None:
        assign[ttl.ATTRIBUTE] = attempt.expires_at
    if shown_until is not None:
        assign[ttl.DATE] = shown_until
    if attempt.is_permanent:
        remove.append(ttl.ATTRIBUTE)
    if attempt.marks:
        assign[REBUILT] = True
    if attempt.marks is False:
        remove.append(REBUILT)
    if attempt.replaces:
        remove += [name for name in found or {} if name not in update.key]
    # An expired row that is replaced has attributes among those to remove that the update assigns.
    return assign, tuple(name for name in dict.fromkeys(remove) if name not in assign) if remove else ()


def _and_newer(newer: str, condition: Condition, update: OplockedFields, order: str) -> Condition:
    return Condition(
        _both(newer, condition.expression),
        {"oplock": oplock_attribute(update.oplock), **condition.names},
        {"oplock": order, **condition.values},
    )


@cache
def _both(one: str, other: str) -> str:
    return f"{one} AND {other}" if other else one


def _bound(table: RowStore, update: OplockedFields, row: Item | None) -> frozenset[str]:
    """Keep the update's family of oplocks within its bound; return the names of those removed."""
    if update.family is None or row is None:
        return frozenset()
    return remove_surplus(table, update.key, update.family, row)


def _why_dropped(row: Item | None, oplock: str, order: str) -> Outcome | None:
    """Return the outcome of a dropped event, by the row in the failed condition; None: it is newer after all."""
    seen = (row or {}).get(oplock, "")
    if seen == order:
        return Outcome.DUPLICATE
    return Outcome.STALE if seen > order else None


class ViewUpdate(OplockedFields):
    """A write of one row, under one oplock."""

    __slots__ = ()

    def write(
        self, table: RowStore, event: DomainEvent, *, ttl_days: int | None, now_ms: int, replay: Replay | None = None
    ) -> Outcome:
        """Write the fields unless the row has seen something at least as new under the same oplock."""
        if replay is not None and replay.until is None:
            return rebuild(table, self, event, ttl_days=ttl_days, now_ms=now_ms)
        if replay is not None and replay.until is not None and ttl_days is not None:
            return rehydrate(table, self, event, until=replay.until, now_ms=now_ms)
        return put_if_newer(table, self, event, ttl_days=ttl_days, now_ms=now_ms)


On = Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]
"""`(source, type)` -> the update of a view."""


# Several updates of one row in one batch -> one write, of the newest.


class FactWrite(NamedTuple):
    """A fact that was understood: as it was received, its event and the write of that.

    replay: None for a live one. taken_ms: see `Delivery`.
    """

    received: "Received"
    event: DomainEvent
    update: RowWrite
    replay: Replay | None = None
    taken_ms: int | None = None


def compact(messages: Iterable[FactWrite]) -> list[list[FactWrite]]:
    """Group the messages that one write settles, the newest of each group first.

    A live one settles no replayed one: that has another ttl to write.
    """
    groups: dict[Hashable, list[FactWrite]] = {}
    for message in messages:
        groups.setdefault((message.replay, message.update.target), []).append(message)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=_order_in, reverse=True)
    return [*groups.values()]


def _order_in(message: FactWrite) -> str:
    return event_order(message.event, message.update.about_ms, message.update.origin)

"""A row as it is beside the row as its events make it. Pure.

| kind | the row | what follows |
|---|---|---|
| `values` | says something else of the same events | the newest event is written again, through the oplock |
| `ahead` | has an order that no event of the bus can have | written over if the order is still the one found |
| `ttl` | expires too early, too late, or at all | the ttl is set if it is still the one found |
| `missing` | has not seen an event | doubtful; a second time the event is written, through the oplock |
| `unknown` | has seen an event that nothing is known of | doubtful; a second time it is reported, and left as it is |

The first three are final, whatever happens meanwhile: the same row says both sides. The others are what a row looks
like while events are on their way: nothing counts that is younger than `_ON_ITS_WAY_MS`, and nothing the first time.
The fields of an unknown event stay: perhaps it is the lake that lacks it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Attributes, Item, to_plain, to_typed
from andon.events.bus_entry import MAX_AHEAD_MS, Delivery, from_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters, upcast
from andon.runtime.clock import DAY_MS
from andon.runtime.strict_json import is_whole
from andon.runtime.tried import Failed, tried
from andon.views.oplocked_fields import OPLOCK
from andon.views.view_update import Subscriptions, ViewUpdate, oplock_attribute
from andon.views.view_updates import updates_in

# The rows that events make, worked out a second way: sort, group, take the last. Pure.
#
# It shares nothing with the listener but what the view declares (`ON` and its upcasters): no conditions, no attempts,
# no order of arrival. So a fault of one way is not a fault of the other.

Key = tuple[tuple[str, str], ...]
"""The attributes of a primary key with their values, sorted."""


class Order(NamedTuple):
    """The place of an event among those under one oplock: the time of its subject counts before its own.

    origin: the service that published it, where versions of a service write the same fields; else empty.
    """

    about_ms: int
    timestamp_ms: int
    origin: str
    id: str

    @classmethod
    def of(cls, event: DomainEvent, update: ViewUpdate) -> "Order":
        """Return the place of an event; without a time that it is about, it lies before those with one."""
        about_ms = -1 if update.about_ms is None else update.about_ms
        return cls(about_ms, event.timestamp_ms, update.origin, event.id)

    @property
    def text(self) -> str:
        """The order as the row has it."""
        about = "" if self.about_ms < 0 else f"about#{self.about_ms:013d}#"
        origin = f"@{self.origin}" if self.origin else ""
        return f"{about}{self.timestamp_ms:013d}{origin}#{self.id}"


class Newest(NamedTuple):
    """The newest event under an oplock, its update, and when the bus took it (epoch milliseconds)."""

    order: Order
    event: DomainEvent
    update: ViewUpdate
    taken_ms: int

    @property
    def attributes(self) -> Attributes:
        """The attributes that the row has of it, None for one that it has not."""
        until = self.update.expires_at
        dated = {} if until is None else {ttl.DATE: until}
        return {**self.update.key_fields, **self.update.fields, **dated}


@dataclass(slots=True)
class ExpectedRow:
    """A row as its events make it.

    newest: by oplock. refused: the orders of events that lay ahead of the bus, which no listener takes, by oplock.
    names: the attributes that any event named, by oplock. latest: the latest date that any said, by oplock; epoch
    seconds. anchored_ms: when the bus took the first event of the anchor.
    """

    key: Attributes
    newest: dict[str, Newest] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    latest: dict[str, int] = field(default_factory=dict)
    anchored_ms: int | None = None

    def add(self, one: Newest) -> None:
        """Count an event, whichever came before it."""
        oplock = one.update.oplock
        self.names.setdefault(oplock, set()).update(one.update.fields)
        if one.event.timestamp_ms > one.taken_ms + MAX_AHEAD_MS:
            self.refused.setdefault(oplock, set()).add(one.order.text)
            return
        if one.update.expires_at is not None:
            self.latest[oplock] = max(one.update.expires_at, self.latest.get(oplock, 0))
        known = self.newest.get(oplock)
        if known is None or known.order < one.order:
            self.newest[oplock] = one
        if one.update.anchor and one.update.anchor.oplock == oplock:
            self.anchored_ms = min(one.taken_ms, self.anchored_ms or one.taken_ms)


def expected_rows(
    lines: Iterable[str], *, on: Subscriptions, upcasters: Upcasters, now_ms: int
) -> dict[Key, ExpectedRow]:
    """Return the rows of some events, which are lines of envelopes; others than the view keeps do not count."""
    rows: dict[Key, ExpectedRow] = {}
    for line in lines:
        read = tried(_read, line, on, upcasters, now_ms)
        for one in () if isinstance(read, Failed) else read:  # it became a fault, and is part of no row
            row = rows.setdefault(key_of(one.update.key), ExpectedRow(one.update.key))
            row.add(one)
    return rows


def key_of(key: Attributes) -> Key:
    """Return a key as something that a mapping can have for its own key."""
    return tuple(sorted(key.items()))


def _read(line: str, on: Subscriptions, upcasters: Upcasters, now_ms: int) -> list[Newest]:
    """Return an event with each of its updates of the view; there are none if the view keeps nothing of it.

    Raises:
        Exception: the view cannot read it.

    """
    delivery = from_message(line)
    keep = on.get((delivery.source, delivery.event.type))
    if keep is None:
        return []
    event = upcast(delivery.event, upcasters, source=delivery.source)
    taken_ms = min(_taken_ms(delivery), now_ms)
    return [Newest(Order.of(event, update), event, update, taken_ms) for update in updates_in(keep(event))]


def _taken_ms(delivery: Delivery) -> int:
    """Return the time at which the bus took an event, which every line of the lake has; else the event's own time."""
    return delivery.event.timestamp_ms if delivery.bus_ms is None else delivery.bus_ms


# From the bus to a row and to the lake it takes minutes, if nothing fails. Late events are looked at by a later run.
_ON_ITS_WAY_MS: Final = 60 * 60 * 1000
# A sound order lies ahead of our clock by what those of writers, of the bus and ours differ: eleven minutes.
AHEAD_MS: Final = 15 * 60 * 1000
# So much later than it happened an event can come: stream and bus keep it for a day each, queues for 18.
LATEST_DAYS: Final = 20

_ORDER: Final = re.compile(r"(?:about#(?P<about>[0-9]{13})#)?(?P<time>[0-9]{13})(?:@[^#]+)?#.+", re.DOTALL)


class DriftKind(StrEnum):
    """The way in which a row differs from its events."""

    VALUES = "values"
    AHEAD = "ahead"
    TTL = "ttl"
    MISSING = "missing"
    UNKNOWN = "unknown"


DOUBTFUL: Final = frozenset({DriftKind.MISSING, DriftKind.UNKNOWN})


class Difference(NamedTuple):
    """A difference under an oplock; a ttl is under none (empty text).

    found, expected: the values of attributes, None where there is none. newest: the event that the row should show;
    None: there is none.
    """

    kind: DriftKind
    oplock: str
    found: Attributes
    expected: Attributes
    newest: Newest | None = None


class RowDrift(NamedTuple):
    """A row that differs. is_of_nothing: orders that lie ahead made it, and no event that counts."""

    key: Attributes
    differences: tuple[Difference, ...]
    is_of_nothing: bool = False

    def only(self, differences: Iterable[Difference]) -> "RowDrift | None":
        """Return it with some of its differences; None without any."""
        some = tuple(differences)
        return self._replace(differences=some) if some else None


class Basis(NamedTuple):
    """The view's ttl, the time, and the time from which on all events are known.

    restores: rows may have come back from the archive, and be shown until then.
    """

    ttl_days: int | None
    now_ms: int
    known_from_ms: int
    restores: bool = False


def compare(expected: ExpectedRow, row: Item | None, basis: Basis) -> RowDrift | None:
    """Return the drift of a row, None if there is none; an expired row is not there, one that is only hidden is."""
    found = row if row is not None and ttl.is_kept(row, basis.now_ms) else {}
    of_row = {name.removeprefix(OPLOCK) for name in found if name.startswith(OPLOCK)}
    differences = [
        difference
        for oplock in sorted(of_row | expected.newest.keys())
        if (difference := _under(oplock, expected, found, basis))
    ]
    is_of_nothing = not expected.newest and all(one.kind is DriftKind.AHEAD for one in differences)
    differences += _ttl(expected, found, basis)
    is_whole = len(differences) == len(of_row)
    return RowDrift(expected.key, (), is_of_nothing and is_whole).only(differences)


def _under(oplock: str, expected: ExpectedRow, found: Item, basis: Basis) -> Difference | None:
    newest, order = expected.newest.get(oplock), found.get(oplock_attribute(oplock))
    if newest is not None and order == newest.order.text:
        kind = None if _is_said(newest, found, basis) else DriftKind.VALUES
    elif order is not None and _is_ahead(order, oplock, expected, basis):
        kind = DriftKind.AHEAD
    elif newest is not None and (order is None or str(order) < newest.order.text):
        kind = DriftKind.MISSING if _must_be_there(newest, expected, found, basis) else None
    else:
        kind = None if _may_be_unknown(order, basis) else DriftKind.UNKNOWN
    return _difference(kind, oplock, expected, found) if kind else None


def _difference(kind: DriftKind, oplock: str, expected: ExpectedRow, found: Item) -> Difference:
    newest, name = expected.newest.get(oplock), oplock_attribute(oplock)
    attributes = dict(_stored(newest.attributes)) if newest else dict.fromkeys(expected.names.get(oplock, {oplock}))
    attributes[name] = newest.order.text if newest else None
    is_found = {**_as_found(attributes, found), name: found.get(name)}
    differing = [one for one, value in attributes.items() if is_found[one] != value]
    return Difference(
        kind, oplock, {one: is_found[one] for one in differing}, {one: attributes[one] for one in differing}, newest
    )


def _is_said(newest: Newest, found: Item, basis: Basis) -> bool:
    """Return True if a row equals its newest event; a restored one may stay until its date."""
    is_found, stored = _as_found(newest.attributes, found), _stored(newest.attributes)
    if basis.restores and ttl.DATE in stored and found.get(ttl.DATE, 0) > stored[ttl.DATE]:
        del is_found[ttl.DATE], stored[ttl.DATE]
    return is_found == stored


def _as_found(attributes: Attributes, found: Item) -> Item:
    return {name: found.get(name) for name in attributes}


def _stored(attributes: Attributes) -> Item:
    """Return attributes as DynamoDB returns them: whole numbers as such, lists of tuples."""
    present = to_plain(to_typed({name: value for name, value in attributes.items() if value is not None}))
    return {name: present.get(name) for name in attributes}


def _is_ahead(order: object, oplock: str, expected: ExpectedRow, basis: Basis) -> bool:
    """Return True if an order refuses coming events, and no event that listeners take can have made it."""
    latest_ms, newest = _latest_ms(order), expected.newest.get(oplock)
    if latest_ms is None or latest_ms > basis.now_ms + AHEAD_MS:
        return True
    # An event that was refused may have come again when its time was not ahead any more.
    is_newer = newest is None or str(order) > newest.order.text
    return is_newer and order in expected.refused.get(oplock, ())


def _latest_ms(order: object) -> int | None:
    """Return the later of the times in an order; None if it is no order."""
    parts = _ORDER.fullmatch(order) if isinstance(order, str) else None
    return max(int(parts["about"] or 0), int(parts["time"])) if parts else None


def _may_be_unknown(order: object, basis: Basis) -> bool:
    """Return True if the lake may lack an event: it is on its way there, or from before `known_from_ms`."""
    latest_ms = _latest_ms(order) or 0
    return latest_ms > basis.now_ms - _ON_ITS_WAY_MS or latest_ms < basis.known_from_ms


def _must_be_there(newest: Newest, expected: ExpectedRow, found: Item, basis: Basis) -> bool:
    """Return True if a row must have seen the newest event by now, and cannot have forgotten it."""
    if newest.taken_ms > basis.now_ms - _ON_ITS_WAY_MS or _is_surplus(newest, expected, found):
        return False
    if basis.ttl_days is not None:
        # With its own ttl the event expired; the row may live on by a later one that came when this was gone.
        expires_at = ttl.ttl_at(newest.event.timestamp_ms, basis.ttl_days)
        return not ttl.is_expired(expires_at, basis.now_ms) or _is_kept_by_date(newest, expires_at, basis.now_ms)
    anchor = newest.update.anchor
    if anchor is None:
        return True
    # A skeleton, as long as it waits for its anchor, expires so long after its last event.
    until_ms = basis.now_ms if expected.anchored_ms is None else expected.anchored_ms
    return newest.taken_ms > until_ms - anchor.skeleton_days * ttl.SECONDS_PER_DAY * 1000


def _is_kept_by_date(newest: Newest, expires_at: int, now_ms: int) -> bool:
    """Return True if a row lives until a date to come, and its event surely came before it would have expired."""
    date, latest_ms = newest.update.expires_at, newest.taken_ms + LATEST_DAYS * DAY_MS
    return date is not None and not ttl.is_expired(date, now_ms) and not ttl.is_expired(expires_at, latest_ms)


def _is_surplus(newest: Newest, expected: ExpectedRow, found: Item) -> bool:
    """Return True if a bounded family drops the oplock, given the known oplocks and those found."""
    family, name = newest.update.family, newest.update.oplock
    if family is None:
        return False
    known = {oplock_attribute(oplock): one.order.text for oplock, one in expected.newest.items()}
    orders = {
        one: max(str(found.get(one, "")), known.get(one, "")) for one in {*known, *found} if one.startswith(OPLOCK)
    }
    return name in family.surplus(orders)


def _ttl(expected: ExpectedRow, found: Item, basis: Basis) -> Iterator[Difference]:
    """Find a ttl that the events of a row cannot have made."""
    at = found.get(ttl.ATTRIBUTE)
    if not found or not expected.newest or _lacks_anchor(expected, found) or _lacks_dates(expected, found):
        return
    life = _life(expected, found, basis)
    if life is None and at is not None:
        yield Difference(DriftKind.TTL, "", {ttl.ATTRIBUTE: at}, {ttl.ATTRIBUTE: None})
    if life is not None and not (is_whole(at) and life.least <= at <= life.most):
        yield Difference(DriftKind.TTL, "", {ttl.ATTRIBUTE: at}, {ttl.ATTRIBUTE: life.rightly})


def _lacks_anchor(expected: ExpectedRow, found: Item) -> bool:
    """Return True if a row has not seen a known anchor; once seen, the anchor decides how long the row lives."""
    anchors = {one.update.anchor for one in expected.newest.values() if one.update.anchor}
    known = {anchor.oplock for anchor in anchors} & expected.newest.keys()
    return any(oplock_attribute(oplock) not in found for oplock in known)


def _lacks_dates(expected: ExpectedRow, found: Item) -> bool:
    """Return True if a row has none of the oplocks that say how long it lives: nothing is known of its ttl."""
    dated = {oplock for oplock, one in expected.newest.items() if one.update.expires_at is not None}
    return bool(dated) and not any(oplock_attribute(oplock) in found for oplock in dated)


def _expires_at(one: Newest, ttl_days: int) -> int:
    return max(ttl.ttl_at(one.event.timestamp_ms, ttl_days), one.update.expires_at or 0)


class _PossibleTtls(NamedTuple):
    """The ttls that a row can have, and the one that it gets if it has another; epoch seconds."""

    least: int
    most: int
    rightly: int


def _life(expected: ExpectedRow, found: Item, basis: Basis) -> _PossibleTtls | None:
    """Return the ttls that a row can have, None if it never expires. Restored rows live longer than their events."""
    seen = {oplock: one for oplock, one in expected.newest.items() if oplock_attribute(oplock) in found}
    shown = [one for oplock, one in seen.items() if found[oplock_attribute(oplock)] == one.order.text]
    if basis.ttl_days is not None:
        least, rightly = (
            max((_expires_at(one, basis.ttl_days) for one in some), default=0) for some in (shown, seen.values())
        )
        latest = max((date for oplock, date in expected.latest.items() if oplock in seen), default=0)
        most = max(latest, ttl.ttl_at(basis.now_ms + AHEAD_MS, basis.ttl_days))
        if ttl.DATE in found and len(shown) < len(seen):
            most = ttl.FIRST_NO_SECONDS  # an event that is not known yet may have said any date
        return _PossibleTtls(least, most, max(latest, rightly))
    anchors = [one.update.anchor for one in expected.newest.values() if one.update.anchor]
    if not anchors or any(oplock_attribute(anchor.oplock) in found for anchor in anchors):
        return None
    # A skeleton lives so long from its last write, which was made when the bus had taken its events.
    days, written_ms = anchors[0].skeleton_days, max((one.taken_ms for one in shown), default=0)
    most = ttl.ttl_at(basis.now_ms + AHEAD_MS, days)
    return _PossibleTtls(max(0, ttl.ttl_at(written_ms - AHEAD_MS, days)), most, ttl.ttl_at(basis.now_ms, days))

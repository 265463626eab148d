"""Timings: when a rule is evaluated at an anchor, and the due rows that say so. Pure.

| timing | evaluated | due rows |
|---|---|---|
| `AtOnce` | when the anchor arrives, over what has arrived by then | none |
| `AtTurn` | the same, at an anchor that says another thing than the one before it | none |
| `HELD_BACK` | once all that counts has arrived | one for each anchor |
| `Later` | the same, `after_ms` after the anchor | one for each anchor |
| `Screened` | as `HELD_BACK` | one for each anchor at which a look finds a decision, see `control.py` |
| `BeforeGap` | at the last anchor before a gap of `gap_ms` | one timer for each key, see `gaps.py` |
| `AfterGap` | at the first anchor after a gap of `gap_ms` | one for each anchor that may be the first, see `gaps.py` |
| `DueAt` | at each anchor that says a date, once that has come | one for each such anchor, put anew until then |
| `AfterArrival` | `after_ms` after the anchor arrived, over what has arrived by then | one for each anchor |

A new kind of rule is a class of this file: trigger and sweep ask it `at_arrival` and `when_due`, and where its due row
lies and which events count by `due_ms`, `first_due_at`, `gap_ms` and `waits`.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from functools import partial
from itertools import islice
from typing import Final, Literal, NamedTuple, Protocol, TypedDict
from zlib import crc32

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import SEPARATOR, prefix, within_limit
from andon.dynamodb.schema import KeyQuery, Keys, LessThan
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.rules.stored_event import CorrelationKey, StoredEvent, timestamp_in
from andon.runtime import times
from andon.runtime.clock import DAY_MS, HOUR_MS
from andon.runtime.strict_json import is_whole

# Due rows: rules to be evaluated at a time, in a sharded index that a sweep takes in the order of time. Pure.
#
# | pk | sk | row |
# |---|---|---|
# | `due#<shard>` | `<13-digit ms>#<correlation key>#<sort key of the anchor>` | `DueRow` |

DUE: Final = "due"

# A partition takes 1,000 write units a second, and each due time costs two: 8,000 due times a second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
SHARDS: Final = 16

# The sweep reads so many, for a row stays in its shard. With more shards than before it is the same number. With
# fewer, it stays what it was until no old row can be due any more: see docs/rules.md.
READ_SHARDS: Final = SHARDS

MAX_AT_MS: Final = times.LAST_MS

# A sweep deletes rows when they are done. The TTL service deletes those that no sweep could do in so many days.
KEPT_DAYS: Final = 33


class DueRow(TypedDict):
    """The attributes of a row of the index, its primary key aside.

    at: epoch milliseconds. key, anchor: the correlation key and the sort key of the anchor. rules: ids. ttl: epoch
    seconds.
    """

    discriminator: Literal["due"]
    at: int
    key: CorrelationKey
    anchor: str
    rules: list[str]
    ttl: int


class Due(NamedTuple):
    """Rules to be evaluated at an anchor, at `at_ms`; `key` and `anchor` are the anchor's correlation and sort key.

    ttl: epoch seconds. shard: the one that the row lies in, if there were more or fewer shards when it was put; None:
    that of its key.
    """

    at_ms: int
    key: CorrelationKey
    anchor: str
    rules: tuple[str, ...]
    ttl: int
    shard: int | None = None

    @classmethod
    def of(cls, item: Item, keys: Keys) -> "Due":
        """Read a row of the index.

        Raises:
            ValueError, KeyError, TypeError: it is no row that `row` wrote.

        """
        due = cls(item["at"], item["key"], item["anchor"], tuple(item["rules"]), item["ttl"])
        texts: list[object] = [due.key, due.anchor, *due.rules]
        if not all(isinstance(text, str) for text in texts) or not is_whole(due.ttl):
            raise TypeError("an attribute of the row has another type")
        shard = _shard_in(item[keys.partition])
        due = due if shard == shard_of(due.key) else due._replace(shard=shard)
        if due.row_key(keys) != {name: item[name] for name in keys.names}:
            raise ValueError("the row lies under another key")
        return due

    def row_key(self, keys: Keys) -> dict[str, str | int]:
        """Return the primary key, the same however often it is scheduled.

        Raises:
            ValueError: it is longer than DynamoDB allows, or the time has more digits than the others.

        """
        if not 0 <= self.at_ms <= MAX_AT_MS:
            raise ValueError("this time cannot be put in order")
        sort = within_limit(SEPARATOR.join((f"{self.at_ms:013d}", self.key, self.anchor)))
        return keys.of(partition_of(shard_of(self.key) if self.shard is None else self.shard), sort)

    def row(self, keys: Keys) -> Item:
        """Return the row."""
        row: DueRow = {
            "discriminator": DUE,
            "at": self.at_ms,
            "key": self.key,
            "anchor": self.anchor,
            "rules": list(self.rules),
            "ttl": self.ttl,
        }
        return {**self.row_key(keys), **row}


def due_by(keys: Keys, shard: int, at_ms: int) -> KeyQuery:
    """Return the query for the rows of a shard that are due at a time, the first to be due first."""
    return KeyQuery(keys=keys, partition=partition_of(shard), sort=LessThan(f"{at_ms + 1:013d}"), forward=True)


def due_from(keys: Keys, row_key: Item) -> int:
    """Return the time of a row of the index, from its primary key."""
    _, sort = keys.names
    return int(row_key[sort].partition(SEPARATOR)[0])


def partition_of(shard: int) -> str:
    """Return the partition of a shard."""
    return f"{DUE}{SEPARATOR}{shard}"


def _shard_in(partition: str) -> int:
    """Return the shard of a partition."""
    return int(partition.removeprefix(prefix(DUE)))


def shard_of(key: CorrelationKey) -> int:
    """Return the shard of a correlation key: one sweep sees all due rows of it."""
    return crc32(key.encode()) % SHARDS


# The time of an event leaves room for so much above it, so that a due time can be written down.
MOST_AFTER_MS: Final = 399 * DAY_MS

# Beside the events that count, so many others are read in each direction: late ones, and those behind the window.
PASSED_OVER: Final = 1_000

# A timer is moved so often within a sweep, after an outage; then it is the turn of others.
_MOST_MOVES: Final = 50

RENEWED_MS: Final = 6 * HOUR_MS

Topics = frozenset[Topic]


def due_ms(at_ms: int, arrived_ms: int, hold_back_ms: int) -> int:
    """Return the due time of a rule about events until `at_ms`: all that count have arrived."""
    return max(at_ms, arrived_ms) + hold_back_ms


class Start(Enum):
    """The step that the arrival of an anchor starts; a look finds out if a due row is needed."""

    EVALUATION = auto()
    DUE = auto()
    LOOK = auto()
    NOTHING = auto()


class EvaluateAt(NamedTuple):
    """A due rule is to be evaluated at the event of a sort key."""

    anchor: str


class Timer(NamedTuple):
    """A due rule waits on, at another event or at the same, until `at_ms`."""

    anchor: str
    at_ms: int


class Renewal(NamedTuple):
    """A due rule waits on at its anchor until `at_ms`; the events that it sees are stored for as long."""

    anchor: StoredEvent
    at_ms: int


class TimerEnded(NamedTuple):
    """A due rule has nothing to decide: another timer of its key has taken over."""


_Aim = EvaluateAt | Timer | Renewal | TimerEnded
"""The aim of a due row."""


class SweepTime(NamedTuple):
    """The hold-back, and the time up to which everything is stored that was stamped as arrived by then."""

    settled_ms: int
    hold_back_ms: int


class EventsBehind(Protocol):
    """The events of a correlation key behind a sort key, up to a time; read no further than somebody looks."""

    def find(self, sort: str, /) -> StoredEvent | None:
        """Return the event of a sort key, if it is still stored."""

    def within(self, sort: str, /, *, until_ms: int) -> Iterable[StoredEvent]:
        """Return them newest first."""

    def behind(self, sort: str, /, *, until_ms: int) -> Iterable[StoredEvent]:
        """Return them oldest first."""


class Timing:
    """A timing; this one is due once all that counts has arrived.

    after_ms: so much of what follows an anchor is seen, at most. gap_ms: the length of the gap that a rule decides
    about; None: it is evaluated at each anchor. waits: for all that counts; False: late events count, too.
    """

    waits = True

    def __init__(self, *, after_ms: int = 0, gap_ms: int | None = None) -> None:
        self.after_ms, self.gap_ms = after_ms, gap_ms

    def mistakes(self) -> Iterator[tuple[bool, str]]:
        """Yield each possible mistake, and True if it was made."""
        yield self.after_ms < 0, "it cannot be evaluated before its anchor"
        yield self.after_ms > MOST_AFTER_MS, "it would be evaluated more than a year after its anchor"
        yield self.gap_ms is not None and self.gap_ms <= 0, "a gap has a length"

    def due_at(self, event: DomainEvent) -> int:
        """Return the upper bound of the events that a rule sees at an anchor (epoch milliseconds)."""
        return event.timestamp_ms + self.after_ms

    def first_due_at(self, event: DomainEvent) -> int:
        """Return the time for which the first due row of an anchor is put (epoch milliseconds)."""
        return self.due_at(event)

    def due_ms(self, at_ms: int, anchor: StoredEvent, hold_back_ms: int) -> int:
        """Return the due time, at an anchor, of a rule about events until `at_ms`."""
        return due_ms(at_ms, anchor.arrived_ms, hold_back_ms)

    def at_arrival(self, anchor: StoredEvent) -> Start:  # noqa: ARG002  each anchor is alike
        """Return the step that the arrival of an anchor starts."""
        return Start.DUE

    def when_due(
        self,
        due: Due,
        *,
        on: Topics,  # noqa: ARG002  it has waited for nothing else
        events: EventsBehind,  # noqa: ARG002
        time: SweepTime,  # noqa: ARG002
    ) -> _Aim:
        """Return the aim of a due row. on: the topics of the rule's anchors."""
        return EvaluateAt(due.anchor)


HELD_BACK: Final = Timing()
"""Due once all that counts has arrived."""


class AtOnce(Timing):
    """Only for rules to which the order of arrival does not matter."""

    waits = False

    def at_arrival(self, anchor: StoredEvent) -> Start:  # noqa: ARG002
        """Return that the rule is evaluated."""
        return Start.EVALUATION


class AtTurn(AtOnce):
    """Of events with a gap: it looks at no anchor that repeats the one before it, and so costs nothing at most of them.

    Who stores two events at once may take the later one for a repeat: what matters then needs another anchor, too.
    """

    def at_arrival(self, anchor: StoredEvent) -> Start:
        """Return that the rule is evaluated, unless the anchor repeats the one before it."""
        return Start.EVALUATION if anchor.turned else Start.NOTHING


class Later(Timing):
    """The rule sees events until `after_ms` after its anchor."""

    def __init__(self, after_ms: int = 0) -> None:
        super().__init__(after_ms=after_ms)


class AfterArrival(Timing):
    """Only for rules that ignore order and times of events: late events are decided upon, too.

    Whatever arrived before an anchor's due time is seen, so a decision for a stretch of arrivals that is no longer than
    `after_ms` sees all of that stretch, whichever of its anchors is due first.
    """

    waits = False

    def __init__(self, after_ms: int) -> None:
        super().__init__(after_ms=after_ms)

    def due_ms(
        self,
        at_ms: int,  # noqa: ARG002  its own time counts for nothing
        anchor: StoredEvent,
        hold_back_ms: int,  # noqa: ARG002
    ) -> int:
        """Return the time so long after the anchor arrived."""
        return anchor.arrived_ms + self.after_ms


class DueAt(Timing):
    """The rule sees events until a date in its anchor, and is evaluated then.

    date_of: the date in an event (epoch milliseconds); None: it says none, and nothing is due at it. One that has
    passed is due at once. within_days: all events of the rule are stored for longer than that, so a date within it is
    waited for by one due row. A date further ahead is waited for in steps: `within_days` after its anchor, and then
    each half of that, the anchor and what lies behind it are stored for longer, and the due row is put anew.

    Another date is another anchor: at the old one the rule sees the new one among `History.later`.
    """

    def __init__(self, date_of: Callable[[DomainEvent], int | None], *, within_days: int) -> None:
        super().__init__(after_ms=within_days * DAY_MS)
        self._date_of = date_of

    def mistakes(self) -> Iterator[tuple[bool, str]]:
        """Yield each possible mistake, and True if it was made."""
        yield self.after_ms <= 0, "its dates lie ahead by some days: within_days"

    def due_at(self, event: DomainEvent) -> int:
        """Return the date, or the event's time if that is later."""
        date_ms = self._date_of(event)
        return event.timestamp_ms if date_ms is None else max(date_ms, event.timestamp_ms)

    def first_due_at(self, event: DomainEvent) -> int:
        """Return the date, or the time until which the anchor is stored for sure."""
        return min(self.due_at(event), event.timestamp_ms + self.after_ms)

    def at_arrival(self, anchor: StoredEvent) -> Start:
        """Return that the rule is due, if the anchor says a date."""
        return Start.NOTHING if self._date_of(anchor.event) is None else Start.DUE

    def when_due(
        self,
        due: Due,
        *,
        on: Topics,  # noqa: ARG002
        events: EventsBehind,
        time: SweepTime,
    ) -> _Aim:
        """Return that the rule is evaluated, or that it waits on for its date: it follows from the due row alone."""
        anchor = events.find(due.anchor)
        if anchor is None:
            return EvaluateAt(due.anchor)
        date_ms = due_ms(self.due_at(anchor.event), anchor.arrived_ms, time.hold_back_ms)
        return EvaluateAt(due.anchor) if date_ms <= due.at_ms else Renewal(anchor, min(date_ms, self._step(due.at_ms)))

    def _step(self, at_ms: int) -> int:
        """Return the next time: events later by less than half of `within_days` are stored until then."""
        return at_ms + self.after_ms // 2


class Screened(Timing):
    """An anchor gets a due row only if a look finds that the rule would decide something there."""

    def at_arrival(self, anchor: StoredEvent) -> Start:  # noqa: ARG002
        """Return that a look is needed."""
        return Start.LOOK


class AfterGap(Timing):
    """The rule decides nothing at an anchor that follows another one closely."""

    def __init__(self, gap_ms: int) -> None:
        super().__init__(gap_ms=gap_ms)

    def at_arrival(self, anchor: StoredEvent) -> Start:
        """Return that the rule is due, unless it is sure that the anchor is not the first after a gap."""
        return Start.DUE if anchor.follows_ms is None or anchor.unsteady else Start.NOTHING


class BeforeGap(Timing):
    """The rule decides nothing at an anchor that another one follows within `gap_ms`."""

    def __init__(self, gap_ms: int) -> None:
        super().__init__(after_ms=gap_ms, gap_ms=gap_ms)

    def at_arrival(self, anchor: StoredEvent) -> Start:
        """Return that a timer starts, unless the anchor is in sight of one that there should be."""
        if anchor.follows_ms is None or is_renewed(anchor.key, anchor.follows_ms, anchor.event.timestamp_ms):
            return Start.DUE
        return Start.NOTHING

    def when_due(self, due: Due, *, on: Topics, events: EventsBehind, time: SweepTime) -> _Aim:
        """Follow the events that came within the gap: to where the timer waits on, or the rule is evaluated."""
        anchor = due.anchor
        at_ms = timestamp_in(anchor) + self.after_ms + time.hold_back_ms  # later than due, if the gap is longer by now
        for _ in range(_MOST_MOVES):
            if at_ms > time.settled_ms:
                break
            follower = self.newest_follower(anchor, on=on, events=events, hold_back_ms=time.hold_back_ms)
            if follower is None:
                return EvaluateAt(anchor)
            if is_renewed(due.key, timestamp_in(anchor), follower.event.timestamp_ms):
                return TimerEnded()
            anchor = follower.sort
            at_ms = due_ms(self.due_at(follower.event), follower.arrived_ms, time.hold_back_ms)
        return Timer(anchor, at_ms)

    def newest_follower(
        self, anchor: str, *, on: Topics, events: EventsBehind, hold_back_ms: int
    ) -> StoredEvent | None:
        """Return the newest event within the gap behind an anchor, of those that were known at its end; None: none.

        Among more late ones than are read, it is the oldest: any will do, if it is always the same.
        """
        until_ms = timestamp_in(anchor) + self.after_ms
        has_followed = partial(_has_followed, on=on, known_by_ms=until_ms + hold_back_ms)
        newest_first = iter(events.within(anchor, until_ms=until_ms))
        found = next(filter(has_followed, islice(newest_first, PASSED_OVER)), None)
        if found is None and next(newest_first, None) is not None:
            oldest_first = events.behind(anchor, until_ms=until_ms)
            found = next(filter(has_followed, islice(oldest_first, PASSED_OVER)), None)
        return found


def is_renewed(key: CorrelationKey, from_ms: int, to_ms: int) -> bool:
    """Return True if an event after `from_ms`, up to `to_ms`, restarts the timer of its key."""
    shift = crc32(key.encode()) % RENEWED_MS  # not all keys at once
    return (from_ms + shift) // RENEWED_MS < (to_ms + shift) // RENEWED_MS


def _has_followed(one: StoredEvent, *, on: Topics, known_by_ms: int) -> bool:
    return one.arrived_ms <= known_by_ms and one.topic in on and not one.is_late_for(on)

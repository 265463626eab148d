"""Rules: decisions of a control service over several events. Pure values, checked when they are put together.

A rule is evaluated *at* an event, its anchor, over the events of the anchor's correlation key: those of the window
before it, in the order of time, whatever order they arrived in. Its expression is pure and returns decisions. A
decision is a row that is put once and published from the table's stream like any other.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Self, TypedDict, TypeVar

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.keys import SEPARATOR, sort_key
from andon.dynamodb.schema import Keys
from andon.dynamodb.ttl import ATTRIBUTE, EXPIRE
from andon.events.actor import TTL, actor_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Meanings
from andon.events.hops import hops_after
from andon.events.topic import Topic
from andon.rules.stored_event import EVENT, CorrelationKey, StoredEvent, correlation_key
from andon.rules.timing import HELD_BACK, MAX_AT_MS, Screened, Timing, due_ms
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Poison

BY: Final = "by"
RULE: Final = "rule"
TRIGGERS: Final = "triggers"
WHY: Final = (BY, RULE, TRIGGERS)
"""The attributes of every row that a rule decided, see `DecisionAttributes`."""

Context = TypeVar("Context")

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)


class TriggeringEvent(TypedDict):
    """An event that a rule decided upon; `timestamp` is in epoch milliseconds."""

    id: str
    type: str
    timestamp: int


class DecisionAttributes(TypedDict):
    """The attributes of every decision's row beside its own: the rule, and the events that it decided upon.

    hops: how many events came before it, see `andon.events.hops`.
    """

    by: Literal["rule"]
    rule: str
    triggers: list[TriggeringEvent]
    hops: int


class History(NamedTuple):
    """The input of an expression.

    anchor: the event that the rule is evaluated at. events: those of the window, in order, the anchor among them.
    before: the event that ended the look-back, just before the first of them: the rule's `until`, or the last of the
    rule's own types that is older than the window; None: there is none. context: what the service knows of the
    correlation key beside events, if the rule `needs_context`. arrived_ms: event id -> when it arrived. is_cut: these
    are the nearest of more events in the window, for a rule for which the `nearest_suffice`.
    """

    anchor: DomainEvent
    events: tuple[DomainEvent, ...]
    before: DomainEvent | None = None
    context: object = None
    arrived_ms: Mapping[str, int] = {}
    hold_back_ms: int = 0
    is_cut: bool = False

    def context_as(self, kind: type[Context]) -> Context:
        """Return the context, which is of this type.

        Raises:
            TypeError: it is none, or of another type.

        """
        if not isinstance(self.context, kind):
            raise TypeError(f"the context is {type(self.context).__name__}, not {kind.__name__}")
        return self.context

    def was_known(self, event: DomainEvent, *, of: DomainEvent, after_ms: int) -> bool:
        """Return True if `event` had arrived when a rule was due that is evaluated `after_ms` after event `of`."""
        due = due_ms(of.timestamp_ms + after_ms, self.arrived_ms[of.id], self.hold_back_ms)
        return self.arrived_ms[event.id] <= due

    @property
    def later(self) -> tuple[DomainEvent, ...]:
        """The events behind the anchor, in order; a rule that is due later sees them."""
        return self.events[self.events.index(self.anchor) + 1 :]


class Decision(NamedTuple):
    """A row to be put, unless it is there.

    key: its primary key. It names the rule and the subject, never the triggers: another order of arrival would decide
    twice. row: its other attributes, `DecisionAttributes` aside. triggers: the events that it was decided upon.
    """

    key: Mapping[str, str | int]
    row: Mapping[str, object]
    triggers: tuple[DomainEvent, ...]


def is_of_a_person(row: Mapping[str, object]) -> bool:
    """Return True if a person wrote a row. A rule's row may be changed without If-Match."""
    return row.get(BY) != RULE


def decision_key(keys: Keys, partition: str, rule_id: str, subject: str) -> dict[str, str | int]:
    """Return the primary key of a decision that is a row of its own: `decision#<rule>#<subject>`.

    Raises:
        ValueError: the subject cannot stand in a sort key.

    """
    return keys.of(partition, sort_key("decision", rule_id, subject))


def always(event: DomainEvent) -> bool:  # noqa: ARG001  a predicate
    """Accept every event."""
    return True


def never(event: DomainEvent) -> bool:  # noqa: ARG001  a predicate
    """Accept no event."""
    return False


def is_there(context: object) -> bool:
    """Return True if there is a context."""
    return context is not None


class Rule(NamedTuple):
    """A rule: its anchors, the events that it looks at, and its expression.

    on: the exact (source, type) of its anchors; `when` narrows them down.
    key: anchor -> the key that it correlates by; `suffix` keeps the rule's events apart from those of other rules.
    window_ms: how far it looks back from its anchor. until: an event beyond which it does not look, neither back nor,
    if it is later than the anchor, ahead. most: the number of events that it looks back over at most, and ahead, so
    that a key with ever more events does not cost more each time. Where there are more, nothing is decided, and that is
    counted. nearest_suffice: True: of more before its anchor, those nearest to it do.
    timing: when it is evaluated, see `timing.py`.
    needs_context: its history has a `context`. Where there is none, or not `enough` of it, it decides nothing, and no
    history is read.
    emits: the types of the events that its decisions become.
    is_replayable: False: its context has what no event says (what a sender did, a model): `andon what-if` cannot decide
    it anew.
    """

    id: str
    on: frozenset[Topic]
    key: Callable[[DomainEvent], str]
    expression: Callable[[History], Iterable[Decision]]
    emits: frozenset[str]
    window_ms: int
    suffix: str = ""
    when: Callable[[DomainEvent], bool] = always
    until: Callable[[DomainEvent], bool] = never
    most: int = 1_000
    nearest_suffice: bool = False
    timing: Timing = HELD_BACK
    needs_context: bool = False
    enough: Callable[[object], bool] = is_there
    is_replayable: bool = True

    def require_sense(self) -> None:
        """Raise ValueError if the rule makes no sense."""
        if not _ID.fullmatch(self.id):
            raise ValueError(f"rule {self.id!r}: an id is lower-case words joined by -")
        for wrong, what in (*self._mistakes(), *self.timing.mistakes()):
            if wrong:
                raise ValueError(f"rule {self.id}: {what}")

    def _mistakes(self) -> Iterable[tuple[bool, str]]:
        yield not self.on, "it is on no event"
        for source, event_type in self.on:
            exact = _NAME.fullmatch(source) and _NAME.fullmatch(event_type)
            yield not exact, f"({source!r}, {event_type!r}) is not an exact source and type"
        yield SEPARATOR in self.suffix, f"its suffix has a {SEPARATOR} in it"
        yield not self.emits, "it emits nothing"
        yield self.window_ms <= 0 or self.most <= 0, "its window is empty"
        is_narrowed = self.when is not always
        yield self.timing.gap_ms is not None and is_narrowed, "a gap is one between all events of its types"

    @property
    def after_ms(self) -> int:
        """The time from its anchor until it is due, at the earliest; of one due at a date: see `DueAt`."""
        return self.timing.after_ms

    def due_at(self, event: DomainEvent) -> int:
        """Return the upper bound of the events that it sees at an anchor: its date, or a time after it."""
        return self.timing.due_at(event)

    def first_due_at(self, event: DomainEvent) -> int:
        """Return the time for which its first due row at an anchor is put: a date far ahead is waited for in steps."""
        return self.timing.first_due_at(event)

    def require_kept(self, ttl_days: int) -> None:
        """Check that the store keeps an anchor until the rule is due, and a day for a sweep that lags.

        Raises:
            ValueError: it forgets it before, and the rule would never decide.

        """
        days = ceil(self.after_ms / DAY_MS) + 1
        if ttl_days < days:
            raise ValueError(
                f"rule {self.id}: it is due up to {days - 1} days after its anchor, which the store forgets after "
                f"{ttl_days}. Write ttl_days={days} or more in CONTROL (control.py) and in each Collected.of of the "
                f"rule's events (subscriptions.py), or a shorter timing."
            )

    def require_remembered(self, anchor: StoredEvent, hold_back_ms: int) -> None:
        """Check that an anchor is stored until its first due row is due, and that its date can be put in order.

        Raises:
            Poison: it is forgotten before; or it is to be kept for longer, and its end is an event.

        """
        at_ms, first_ms = self.due_at(anchor.event), self.first_due_at(anchor.event)
        if first_ms + hold_back_ms >= anchor.ttl * 1000:
            raise Poison(
                f"rule {self.id}: it would be due at {first_ms} ms, which is beyond the ttl of the event, {anchor.ttl} "
                "s; nothing is decided at it. See within_days of DueAt, and ttl_days"
            )
        if at_ms + hold_back_ms > MAX_AT_MS:
            raise Poison(f"rule {self.id}: its date, {at_ms} ms, cannot be put in order; nothing is decided at it")
        if first_ms < at_ms and anchor.expire is not None:
            raise Poison(
                f"rule {self.id}: its date, {at_ms} ms, is further ahead than within_days, and its event, whose end is "
                f"an event ({anchor.expire}), is not kept for longer; nothing is decided at it"
            )

    def correlation_key_of(self, event: DomainEvent) -> CorrelationKey:
        """Return the key under which the rule finds an event and those that it correlates with."""
        return correlation_key(self.key(event), self.suffix)

    def is_on(self, stored: StoredEvent) -> bool:
        """Return True if the rule is evaluated at events of this type."""
        return stored.topic in self.on

    def is_late(self, stored: StoredEvent) -> bool:
        """Return True if the rule is on this event's type, and it arrived too late to count for a decision."""
        return bool(stored.late_by) and self.timing.waits and stored.is_late_for(self.on)  # hardly any is late

    def due_ms(self, anchor: StoredEvent, hold_back_ms: int) -> int:
        """Return the time at which the rule is due at an anchor: all that counts has arrived."""
        return self.timing.due_ms(self.due_at(anchor.event), anchor, hold_back_ms)

    def first_due_ms(self, anchor: StoredEvent, hold_back_ms: int) -> int:
        """Return the time of its first due row at an anchor."""
        return self.timing.due_ms(self.first_due_at(anchor.event), anchor, hold_back_ms)


class Rules:
    """The rules of a service, found by the type of an event: those on other types cost nothing.

    Raises:
        ValueError: one makes no sense, two have one id, one emits a type that the service does not declare, one could
            cause itself, or two mean different gaps between the same events.

    """

    def __init__(self, source: str, types: frozenset[str], all: tuple[Rule, ...]) -> None:  # noqa: A002  named by the reader's question
        self.source, self.types, self.all = source, types, all
        for rule in all:
            rule.require_sense()
        self._require_unique_ids()
        self._require_declared_types()
        self._by_topic: dict[Topic, tuple[Rule, ...]] = {}
        for rule in all:
            for topic in rule.on:
                self._by_topic[topic] = (*self._by_topic.get(topic, ()), rule)
        self._require_no_loops()
        self._gaps = {topic: self._require_one_gap(topic) for topic in self._by_topic}
        self.screened = tuple(rule for rule in all if isinstance(rule.timing, Screened))

    def at(self, source: str, event: DomainEvent) -> list[Rule]:
        """Return the rules that an event is an anchor of."""
        return [rule for rule in self._by_topic.get((source, event.type), ()) if rule.when(event)]

    def at_stored(self, stored: StoredEvent) -> list[Rule]:
        """Return the rules that a stored event is an anchor of: they correlate by the key under which it lies."""
        rules = self.at(stored.source, stored.event)
        return [rule for rule in rules if rule.correlation_key_of(stored.event) == stored.key]

    def require_kept(self, ttl_days: int) -> None:
        """Check that a store of so many days keeps the anchors of all rules until they are due.

        Raises:
            ValueError: it does not.

        """
        for rule in self.all:
            rule.require_kept(ttl_days)

    def has_any_on(self, topic: Topic) -> bool:
        """Return True if any rule is on a topic."""
        return topic in self._by_topic

    def gap_ms_on(self, topic: Topic) -> int | None:
        """Return the length of the gap on a topic that rules decide about; None: no rule does."""
        return self._gaps.get(topic)

    def _require_one_gap(self, topic: Topic) -> int | None:
        gaps = {rule.timing.gap_ms for rule in self._by_topic[topic]} - {None}
        if len(gaps) > 1:
            raise ValueError(f"rules on {topic} mean different gaps")
        return next(iter(gaps), None)

    def _require_unique_ids(self) -> None:
        twins = [rule_id for rule_id, times in Counter(rule.id for rule in self.all).items() if times > 1]
        if twins:
            raise ValueError(f"more than one rule is called {', '.join(twins)}")

    def _require_declared_types(self) -> None:
        for rule in self.all:
            if undeclared := rule.emits - self.types:
                raise ValueError(f"rule {rule.id}: {self.source} does not declare {', '.join(sorted(undeclared))}")

    def _require_no_loops(self) -> None:
        """Raise ValueError if a rule could cause itself: decisions are events that rules may be on in turn."""
        causes = {rule.id: self._caused_by(rule) for rule in self.all}
        for rule in self.all:
            seen: set[str] = set()
            reached = list(causes[rule.id])
            while reached:
                other = reached.pop()
                if other is rule:
                    raise ValueError(f"rule {rule.id}: it would cause itself, by way of {sorted(rule.emits)}")
                if other.id not in seen:
                    seen.add(other.id)
                    reached += causes[other.id]

    def _caused_by(self, rule: Rule) -> list[Rule]:
        """Return the rules that a decision of a rule may be an anchor of."""
        return [other for event_type in rule.emits for other in self._by_topic.get((self.source, event_type), ())]


# The expiry of a row -> the fact that the row asked for: its last one, under another type. Pure.


def expired(row: Item, of: Meanings) -> Fact | None:
    """Return the fact of a row that the TTL service removed; None if the row did not ask for one.

    The attribute `expire` is the type of the fact, or True: `<entity>-expired`. Its timestamp is the row's ttl, its
    actor the TTL service, whoever wrote the row.
    """
    wanted = row.get(EXPIRE)
    if not wanted:
        return None  # most expiry is housekeeping, not a fact
    inserted = Change("INSERT", old=None, new=row)
    last = _fact_in(row) if row["discriminator"] == EVENT else of[row["discriminator"]](inserted)
    if last is None:
        return None
    fact_type = f"{last.entity_name}-expired" if wanted is True else wanted
    return last._replace(type=fact_type, timestamp_ms=row[ATTRIBUTE] * 1000, actor=TTL)


def _fact_in(row: Item) -> Fact:
    """Return the fact of the stored event."""
    event = DomainEvent.from_wire(row["event"])
    # A row from before it had the name has none; such an event had one entity.
    name = row.get("entity") or next(iter(event.entities))
    return Fact(
        type=event.type,
        timestamp_ms=event.timestamp_ms,
        partition_key=event.partition_key,
        entity_name=name,
        entity=event.entity(name).fields,
        actor=actor_of(event),
        hops=hops_after(event),
    )


# Control services: their rules, their inputs, and the table that keeps events, due times and decisions.

# Verdicts: the results of evaluations, and how often a trigger or a sweep came to each.


class Verdict(StrEnum):
    """The result of an evaluation, or of one of its decisions.

    `DECIDED`: its row was put. `STANDS`: the row was there already. `NOTHING`: there was nothing to decide. `LATE`: the
    anchor arrived too late to be decided upon. `GONE`: the anchor is no longer stored. `FLOODED`: more lies
    around it than the rule looks at. `FAULT`: the rule fails at it, and always will.
    """

    DECIDED = "decided"
    STANDS = "stands"
    NOTHING = "nothing"
    LATE = "late"
    GONE = "gone"
    FLOODED = "flooded"
    FAULT = "fault"


Counts = Counter[str]
"""Numbers by name: a `Verdict`, or what a trigger or a sweep counts beside."""


def _no_context(key: CorrelationKey) -> None:
    """Know nothing of a correlation key."""


class _Control(NamedTuple):
    table: Table
    rules: Rules
    ttl_days: int
    context_of: Callable[[CorrelationKey], object]
    remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey | None]]


class Control(_Control):
    """A control service.

    ttl_days: how long events are stored, from their own time: own facts, and what subscriptions collect for rules.
    context_of: correlation key -> what the service knows beside events, for the rules that need it.
    remembers: type of an own fact -> the correlation key under which it is stored beside the events of others; None: no
    rule looks at this one.

    Raises:
        ValueError: a rule would be due when the store has forgotten its anchor.

    """

    __slots__ = ()

    def __new__(
        cls,
        table: Table,
        rules: Rules,
        ttl_days: int,
        context_of: Callable[[CorrelationKey], object] = _no_context,
        remembers: Mapping[str, Callable[[DomainEvent], CorrelationKey | None]] = MappingProxyType({}),
    ) -> Self:
        """Check that the store remembers for long enough."""
        rules.require_kept(ttl_days)
        return super().__new__(cls, table, rules, ttl_days, context_of, remembers)

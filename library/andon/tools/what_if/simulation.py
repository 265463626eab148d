"""Events in the order of their arrival -> the decisions of real rules. Neither table nor sweep: time is the events'.

Each event goes the way that it goes in a deployment: it is read, lifted, decided upon by the service's own
subscriptions, stored with its lateness; each rule is evaluated at its anchors when it is due; the first decision of a
row's key wins, and its fact is remembered and heard by others.
"""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import MAX_SORT_KEY_BYTES
from andon.dynamodb.ttl import is_expired
from andon.events.actor import ACTOR, rule_of
from andon.events.bus_entry import Delivery
from andon.events.change_data_capture import StreamRecord, fact_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change
from andon.events.hops import HOPS, tag_of
from andon.events.identifiers import of_content
from andon.events.latch import is_crossed, is_same_version
from andon.events.topic import Topic
from andon.events.upcast import upcast
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.rules.collect import Collected
from andon.rules.control import remembered
from andon.rules.evaluate import Evaluation, Evaluator
from andon.rules.micro_event_store import hold_back_ms
from andon.rules.plan import concerned, dues_at_start, plan_due
from andon.rules.rule import Control, Rule, Rules
from andon.rules.stored_event import CorrelationKey, StoredEvent
from andon.rules.sweep import EVERY_SECONDS
from andon.rules.timing import Due, SweepTime
from andon.runtime.clock import MINUTE_MS
from andon.runtime.tried import Failed, tried
from andon.tools.what_if.key_events import KeyEvents, KeyPast
from andon.tools.what_if.known_tables import KnownTables, Partition, SimulatedClock, as_read
from andon.tools.what_if.lake_record import EVERYWHERE, LakeRecord
from andon.tools.what_if.report import RowKey, row_key
from andon.views.materialize import understand
from andon.views.view_update import Subscriptions

# A control service whose rules are replayed: its declarations, narrowed to those rules, and its events in memory.

NONE: Final[Subscriptions] = {}


class ReplayedService:
    """A service.

    replayed: the ids of the rules whose decisions the lake has, and which are decided anew; also those that this tree
    does not have. taken: the keys of rows that are there. decided: of those that rules decided. needs_context: the
    table's rows may be what a rule knows. read: the partitions of tables that were read for that.
    """

    def __init__(self, package: Package, replayed: frozenset[str]) -> None:
        control = control_of(package)
        self.package, self.replayed = package, replayed
        self.source, self.variable = control.rules.source, control.table.variable
        self.rules = narrowed(control.rules, replayed)
        self.control = control._replace(rules=self.rules)
        self.facts = package.facts
        self.on: Subscriptions = package.load("subscriptions").ON if package.has("subscriptions") else NONE
        self.upcasters = package.upcasters
        self.needs_context = any(rule.needs_context for rule in self.rules.all)
        self.events: dict[CorrelationKey, KeyEvents] = {}
        self.taken: set[RowKey] = set()
        self.decided: set[RowKey] = set()
        self.read: set[Partition] = set()

    def forget(self) -> None:
        """Begin anew: other subjects."""
        self.events, self.taken, self.decided = {}, set(), set()
        self.read.clear()

    def knows_by(self, tables: KnownTables) -> None:
        """Read again what rules know of a key only once that has changed."""
        self.control = self.control._replace(context_of=tables.kept(self.control.context_of, self.read))

    def events_of(self, key: CorrelationKey) -> KeyEvents:
        """Return the events of a correlation key."""
        found = self.events.get(key)
        if found is None:
            found = self.events[key] = KeyEvents()
        return found

    def stored_under(self, key: CorrelationKey) -> Sequence[StoredEvent]:
        """Return the events of a correlation key, if there are any."""
        found = self.events.get(key)
        return () if found is None else found.events

    def changed(self) -> Iterator[Hashable]:
        """Yield the correlation keys, as partitions, and the decided rows of this group of events, see `overlap`."""
        yield from ((self.variable, key) for key, held in self.events.items() if held.is_of_group)
        yield from ((self.variable, *row) for row in self.decided)

    def looked_at(self) -> Iterator[Hashable]:
        """Yield what was decided by."""
        yield from ((self.variable, key) for key, held in self.events.items() if held.is_anchored)
        yield from ((self.variable, *row) for row in self.decided)
        yield from self.read

    def past_of(self, key: CorrelationKey, now_ms: int) -> KeyPast:
        """Return the past of a key, as rules read it."""
        return KeyPast(self.control.table, key, self.events_of(key), now_ms=now_ms)

    def evaluator_of(self, key: CorrelationKey, past: KeyPast, now_ms: int) -> Evaluator:
        """Return the evaluator of a key over what lies in memory."""
        evaluator = Evaluator(self.control, key, anchors=(), now_ms=now_ms)
        evaluator.past = past
        return evaluator

    def key_of(self, row: Item) -> RowKey:
        """Return the primary key of a row."""
        return row_key(row, self.control.table.keys.names)

    def name_of(self, rule: Rule) -> str:
        """Return the name of a rule in reports."""
        return f"{self.source}.{rule.id}"


def narrowed(rules: Rules, ids: frozenset[str]) -> Rules:
    """Return some of the rules."""
    return Rules(source=rules.source, types=rules.types, all=tuple(rule for rule in rules.all if rule.id in ids))


def control_of(package: Package) -> Control:
    """Return the declarations of a service about its rules."""
    control: Control = package.load("control").CONTROL
    return control


def control_services() -> Sequence[Package]:
    """Return the services of the project that have rules."""
    return [package for package in services() if package.has("control")]


def replayed_services(replayed: Mapping[str, Sequence[str]]) -> list[ReplayedService]:
    """Return the services of some rules: source -> ids."""
    found = (
        ReplayedService(one, frozenset(replayed.get(control_of(one).rules.source, ()))) for one in control_services()
    )
    return [one for one in found if one.replayed]


# A sweep decides for what is due by then: on average half its period later. A trigger follows at once.
SWEEP_LAG_MS: Final = EVERY_SECONDS * 1000 // 2
TRIGGER_LAG_MS: Final = 1_000
# A recorded decision says when a fact was known, if it came no later than this after it was due.
MOST_LAG_MS: Final = 5 * MINUTE_MS

# So many characters are never too many bytes for a sort key, beside the digits of a time.
_SURELY_FIT: Final = MAX_SORT_KEY_BYTES // 4 - 16

ARRIVES, IS_DUE = 0, 1

Recorded = Mapping[tuple[str, RowKey], int]
"""Service and key of a row that a rule decided, by the lake -> when the bus took its fact (epoch milliseconds)."""


class Decided(NamedTuple):
    """A row that a rule decided first. decided_ms: when it was due or evaluated. fact: if another service hears it."""

    rule: str
    key: RowKey
    anchor: DomainEvent
    decided_ms: int
    row: Item
    fact: LakeRecord | None = None


class Task(NamedTuple):
    """A due row, or a decided fact that arrives; at one time, what arrives comes first.

    about: the key of the due row, the subject of the fact's anchor: the order at one time is that of all groups.
    """

    at_ms: int
    kind: int
    about: str
    number: int
    service: ReplayedService
    due: Due | None = None
    fact: DomainEvent | None = None


class Simulation:
    """Replays some services. faults: by rule, and by service what it could not read. why: of the first of each.

    late: anchors that came too late for a rule, by rule; pending: those that are due after the end.
    """

    def __init__(
        self,
        services: list[ReplayedService],
        tables: KnownTables,
        clock: SimulatedClock,
        recorded: Recorded,
        *,
        pinned: frozenset[str],
    ) -> None:
        self._services, self._tables, self._clock = services, tables, clock
        self._recorded, self._pinned = recorded, pinned
        self._hold_back_ms = hold_back_ms()
        self._by_source = {one.source: one for one in services}
        tables.stored = {one.variable: one.stored_under for one in services}
        self._listeners = dict[Topic, list[ReplayedService]]()
        for service in services:
            for topic in service.on:
                self._listeners.setdefault(topic, []).append(service)
        self.faults, self.why = Counter[str](), dict[str, str]()
        self.pending, self.late = Counter[str](), Counter[str]()
        self._begin()

    def _begin(self) -> None:
        self._tasks: list[Task] = []
        self._numbers, self._now_ms, self._since_ms, self._is_of_group = count(), 0, 0, True
        self._decided: list[Decided] = []
        for service in self._services:
            service.forget()
        self._tables.begin()

    def run(self, records: Iterable[LakeRecord], *, end_ms: int, since_ms: int = 0) -> Iterator[Decided]:
        """Yield the decisions upon some records, in their order; since_ms: for the counts of pending and late ones."""
        self._begin()
        self._since_ms = since_ms
        for record in records:
            self._work_until(record.taken_ms)
            self._clock.at_ms = self._now_ms = record.taken_ms
            self._tables.is_of_group = self._is_of_group = record.mark != EVERYWHERE
            self._hear(record)
            self._tables.is_of_group = self._is_of_group = True
            yield from self._take_decided()
        self._work_until(end_ms + 1)
        yield from self._take_decided()
        self._count_pending()

    def _take_decided(self) -> list[Decided]:
        taken, self._decided = self._decided, []
        return taken

    def _work_until(self, end_ms: int) -> None:
        """Do what is due before a time."""
        while self._tasks and self._tasks[0].at_ms < end_ms:
            task = heapq.heappop(self._tasks)
            self._clock.at_ms = self._now_ms = task.at_ms
            if task.due is not None:
                self._evaluate_due(task.service, task.due)
            elif task.fact is not None:
                self._publish(task.service, task.fact)

    def _hear(self, record: LakeRecord) -> None:
        delivery = record.delivery
        own = self._by_source.get(delivery.source)
        if own is None:
            self._deliver(delivery)
        elif (rule_id := rule_of(delivery.event)) not in own.replayed:
            self._take_row(own, delivery.event, is_rules=rule_id is not None)
            self._remember(own, upcast(delivery.event, own.upcasters, source=own.source))
            self._deliver(delivery)

    def _deliver(self, delivery: Delivery) -> None:
        """Bring an event to the services that subscribe to it."""
        for service in self._listeners.get((delivery.source, delivery.event.type), ()):
            done = tried(self._keep, service, delivery)
            if isinstance(done, Failed):
                self._note_fault(service.source, done.error)

    def _keep(self, service: ReplayedService, delivery: Delivery) -> None:
        event, write = understand(delivery, service.on, service.upcasters, now_ms=self._now_ms)
        if isinstance(write, Collected):
            stored = write.stored(event.without_raw(), arrived_ms=self._now_ms)
            self._store(service, stored, gap_ms=write.gap_ms)
        elif service.needs_context or service.control.remembers:
            write.write(service.control.table, event, ttl_days=None, now_ms=self._now_ms)
            self._remember_crossed(service)

    def _remember_crossed(self, service: ReplayedService) -> None:
        """Remember the facts of edits that crossed from another version of the service, as its trigger does."""
        records = self._tables.tables[service.variable].new_records()
        for record in cast("list[StreamRecord]", records):
            images = record["dynamodb"]
            if is_crossed(images.get("NewImage")) and not is_same_version({**images}):
                fact = fact_in(record, facts=service.facts, tags={})
                if fact is not None:
                    self._remember(service, fact)

    def _take_row(self, service: ReplayedService, event: DomainEvent, *, is_rules: bool) -> None:
        """Keep the row that an own fact was published of: a rule decides no other under its key."""
        row = event.new_row
        key = None if row is None else tried(service.key_of, row)
        if row is None or key is None or isinstance(key, Failed):
            return
        service.taken.add(key)
        if service.needs_context and not is_rules and repr(key) not in self._pinned:
            self._tables.put(service.variable, row)

    def _remember(self, service: ReplayedService, fact: DomainEvent) -> None:
        if fact.type not in service.control.remembers:
            return
        own = tried(remembered, fact, service.control)
        if isinstance(own, Failed):
            self._note_fault(service.source, own.error)
            return
        if own is None:
            return
        stored = own.stored(fact.without_raw(), arrived_ms=self._now_ms)
        settle = service.rules.has_any_on(stored.topic)
        self._store(service, stored, gap_ms=own.gap_ms, settle=settle)

    def _store(self, service: ReplayedService, one: StoredEvent, *, gap_ms: int | None, settle: bool = True) -> None:
        if is_expired(one.ttl, self._now_ms):
            return
        events = service.events_of(one.key)
        # Nobody asks what an event follows, unless a rule decides about gaps.
        gap_ms = gap_ms if service.rules.gap_ms_on(one.topic) else None
        if settle:
            one = events.settled(one, gap_ms=gap_ms, hold_back_ms=self._hold_back_ms)
        events.is_of_group |= self._is_of_group
        if not events.add(one):
            return
        if service.needs_context:
            self._tables.note_stored(service.variable, one.key)
        if rules := service.rules.at(one.source, one.event):
            events.is_anchored = True
            self._arrived(service, one, rules)

    def _arrived(self, service: ReplayedService, stored: StoredEvent, rules: list[Rule]) -> None:
        """Do the work for an event that arrived, as a trigger does; rules: those that it is an anchor of."""
        found = concerned(stored, rules, hold_back_ms=self._hold_back_ms)
        for rule, error in found.forgotten:
            self._note_fault(service.name_of(rule), error)
        for copy in found.copies:
            gap_ms = service.rules.gap_ms_on(copy.topic)
            self._store(service, copy._replace(arrived_ms=self._now_ms), gap_ms=gap_ms)
        if self._is_of_group and stored.event.timestamp_ms >= self._since_ms:
            self.late.update(map(service.name_of, found.late_at(stored)))
        # A look is for the sake of writes: a screened rule decides what it would decide if each event were due.
        for due in dues_at_start(stored, found.here, hold_back_ms=self._hold_back_ms):
            if len(due.key) + len(due.anchor) > _SURELY_FIT:
                due.row_key(service.control.table.keys)  # one that no table takes is a fault
            self._plan_due(service, due)
        if at_once := found.at_once:
            past = service.past_of(stored.key, self._now_ms)
            evaluator = service.evaluator_of(stored.key, past, self._now_ms)
            for rule in at_once:
                self._decide(service, evaluator.evaluate(stored, rule), lag_ms=TRIGGER_LAG_MS)

    def _plan_due(self, service: ReplayedService, due: Due) -> None:
        heapq.heappush(self._tasks, Task(due.at_ms, IS_DUE, due.key, next(self._numbers), service, due=due))

    def _evaluate_due(self, service: ReplayedService, due: Due) -> None:
        """Do the work for a due row, as a sweep does."""
        past = service.past_of(due.key, due.at_ms)
        time = SweepTime(settled_ms=due.at_ms, hold_back_ms=self._hold_back_ms)
        plan = plan_due(due, service.rules, past, time=time, now_ms=due.at_ms)
        evaluator = service.evaluator_of(due.key, past, due.at_ms)
        for sort, rule in plan.evaluations:
            self._decide(service, evaluator.evaluate_stored(sort, rule), lag_ms=SWEEP_LAG_MS)
        for stored in plan.kept:
            service.events_of(due.key).replace(stored)
        for again in plan.timers:
            self._plan_due(service, again._replace(at_ms=max(again.at_ms, due.at_ms + 1)))

    def _decide(self, service: ReplayedService, evaluation: Evaluation, *, lag_ms: int) -> None:
        name = service.name_of(evaluation.rule)
        if evaluation.error is not None:
            self._note_fault(name, evaluation.error)
        for row in evaluation.rows if evaluation.anchor is not None else ():
            key = service.key_of(row)
            if key not in service.taken and evaluation.anchor is not None:
                service.taken.add(key)
                service.decided.add(key)
                decided = Decided(name, key, evaluation.anchor.event, self._now_ms, as_read(row))
                self._decided.append(decided._replace(fact=self._plan_fact(service, decided, lag_ms=lag_ms)))

    def _plan_fact(self, service: ReplayedService, decided: Decided, *, lag_ms: int) -> LakeRecord | None:
        """Let the fact of a decision arrive: when the lake says that it did, or after the usual lag.

        Return it if another service hears it.
        """
        fact = tried(fact_of, service, decided)
        if isinstance(fact, Failed):
            self._note_fault(decided.rule, fact.error)
        elif fact is not None and self._is_heard(service, fact):
            at_ms = self._recorded.get((service.source, decided.key), -1)
            if not self._now_ms <= at_ms <= self._now_ms + MOST_LAG_MS:
                at_ms = self._now_ms + lag_ms
            about, number = decided.anchor.partition_key, next(self._numbers)
            heapq.heappush(self._tasks, Task(at_ms, ARRIVES, about, number, service, fact=fact))
            if any(other is not service for other in self._listeners.get((service.source, fact.type), ())):
                return LakeRecord.of_fact(service.source, fact, about=about, taken_ms=at_ms, number=number)
        return None

    def _is_heard(self, service: ReplayedService, fact: DomainEvent) -> bool:
        return fact.type in service.control.remembers or (service.source, fact.type) in self._listeners

    def _publish(self, service: ReplayedService, fact: DomainEvent) -> None:
        self._remember(service, fact)
        self._deliver(Delivery(service.source, fact, bus_ms=self._now_ms))

    def _note_fault(self, name: str, error: Exception) -> None:
        self.faults[name] += 1
        self.why.setdefault(name, f"{type(error).__name__}: {error}")

    def _count_pending(self) -> None:
        for task in self._tasks:
            if task.due is not None and task.at_ms >= self._since_ms:
                self.pending.update(f"{task.service.source}.{rule_id}" for rule_id in task.due.rules)


def fact_of(service: ReplayedService, decided: Decided) -> DomainEvent | None:
    """Return the fact that a decision is published as, under an id that follows from its key; None: it is private.

    Raises:
        ValueError: the service does not declare its type.

    """
    fact = service.facts.fact_of(Change("INSERT", None, decided.row))
    if fact is None:
        return None
    hops = tag_of(fact.hops or decided.row.get(HOPS))
    entities = as_read({fact.entity_name: dict(fact.entity)})
    tags = {"source": service.source, ACTOR: fact.actor, **hops}
    fact_id = of_content([service.source, decided.key], digits=32)
    return DomainEvent(fact_id, fact.type, fact.timestamp_ms, fact.partition_key, entities, tags)

"""Changes of a control service's table -> domain events, and decisions upon the events that were stored in it.

One way: records -> arrivals -> plan (`plan.py`) -> evaluate, decide, write (`evaluate.py`) -> look (the screen below).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events.change_data_capture import StreamRecord, fact_in, kind_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.latch import is_crossed, is_latched, is_same_version
from andon.events.publish_changes import PublishedBatch, log_published, publish_batch, tags_of
from andon.rules.collect import Collected
from andon.rules.evaluate import (
    Evaluator,
    RowKey,
    counts_by,
    publish_event_fault,
    publish_fault,
    publish_unreadable,
    put_beside,
    set_aside,
    write_decisions,
    write_due_rows,
)
from andon.rules.micro_event_store import PAGE, PAGES_OF_NEWER, STORED_WITHIN_MS, hold_back_ms, store
from andon.rules.past import Past
from andon.rules.plan import ArrivalPlan, deferred, dues_at_arrival, is_screened, plan_arrival
from andon.rules.rule import Control, Counts, Rule, Rules, Verdict
from andon.rules.stored_event import CORRELATED, EVENT, CorrelationKey, StoredEvent
from andon.rules.timing import PASSED_OVER, Due
from andon.runtime import clock, strict_json
from andon.runtime.json_types import JsonMapping
from andon.runtime.lambda_context import LambdaContext
from andon.runtime.message_batch import BatchResponse
from andon.runtime.tried import Failed, tried
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

TRIGGER: Final = "trigger"

# Of the function's time: then rules are no longer evaluated but deferred, which is one write for each event.
MARGIN_MS: Final = 30_000


class _Task(NamedTuple):
    """A task, and the number of the first record of the batch that it is about."""

    number: int
    do: Callable[[], Counts]

    def done(self) -> tuple[int, Counts | Failed]:
        """Do it; return its number and its counts or failure."""
        return self.number, tried(self.do)


@in_time
def control_changes(event: JsonMapping, context: LambdaContext, *, facts: Facts, control: Control) -> BatchResponse:
    """Handle a batch of the table's stream: publish, remember, then correlate, schedule and evaluate.

    Every step is idempotent: it puts rows under keys that are the same each time. If one fails, the others are done,
    and the batch comes again from the first record that was not done, or whole: then the error is raised.
    """
    published = publish_batch(event, context, facts=facts)
    crossed = _crossed(published.records, facts, tags_of(facts, context), control)
    own = [(number, fact) for number, fact in (*published.found.items(), *crossed) if fact.type in control.remembers]
    counts = Counts(dict.fromkeys((Verdict.DECIDED, Verdict.STANDS, Verdict.NOTHING, "arrived"), 0))
    plans = _plans(_arrivals(published.records, control), control, counts)
    keeping = [_Task(number, partial(_remember, fact, control)) for number, fact in own]
    keeping += [_Task(number, partial(_schedule, plan, control)) for number, plan in plans]
    deciding = _deciding(plans, control, lambda: context.get_remaining_time_in_millis() >= MARGIN_MS)
    # What waits is scheduled before anything is decided: many rows, which need not wait for each other.
    failed = _failed(deciding, counts, _failed(keeping, counts, {}))
    done = _as_far_as_done(published, failed, counts)
    log_published(done, context, facts=facts, more=counts)
    return done.respond()


def _deciding(
    plans: Iterable[tuple[int, ArrivalPlan]], control: Control, is_time_left: Callable[[], bool]
) -> list[_Task]:
    """Return the tasks that decide, one for each correlation key."""
    by_key, now_ms = defaultdict[CorrelationKey, dict[int, ArrivalPlan]](dict), clock.now_ms()
    for number, plan in plans:
        by_key[plan.anchor.key][number] = plan
    react = partial(_react, control=control, now_ms=now_ms, is_time_left=is_time_left)
    return [_Task(min(arrived), partial(react, key, arrived.values())) for key, arrived in by_key.items()]


def _failed(tasks: Sequence[_Task], counts: Counts, before: Mapping[int, Exception]) -> dict[int, Exception]:
    """Do all tasks, and count; return the errors by the numbers of records, with those of before."""
    failed = {**before}
    for number, done in in_parallel([task.done for task in tasks]):
        if isinstance(done, Failed):
            failed.setdefault(number, done.error)
        else:
            counts.update(done)
    return failed


def _as_far_as_done(published: PublishedBatch, failed: Mapping[int, Exception], counts: Counts) -> PublishedBatch:
    """Return a batch up to the first record that was not done.

    Raises:
        Exception: its error, if the stream cannot go on within the batch.

    """
    if not failed:
        return published
    resumed = published.resumed_at(min(failed))
    if resumed is None:
        raise failed[min(failed)]
    counts["failed"] = len(failed)
    return resumed


def brings_events(records: Iterable[StreamRecord]) -> bool:
    """Return True if a record stores a new event that rules look at."""
    return any(map(_is_arrival, records))


def _is_arrival(record: StreamRecord) -> bool:
    image = record["dynamodb"].get("NewImage")
    return record["eventName"] == "INSERT" and kind_of(image) in {EVENT, CORRELATED} and not is_latched(image)


def _arrivals(records: Iterable[StreamRecord], control: Control) -> Iterator[tuple[int, StoredEvent]]:
    """Yield the events that were stored, each with the number of its record: only an INSERT is one, nothing later.

    An event that comes back from the archive was decided upon when it came first.
    """
    for number, record in enumerate(records):
        if not _is_arrival(record):
            continue
        row = to_plain(record["dynamodb"]["NewImage"])
        stored = tried(StoredEvent.of, row, control.table.keys)  # others may write into the store
        if isinstance(stored, Failed):
            publish_unreadable(stored.error, control, row)
        else:
            yield number, stored


def _crossed(
    records: Iterable[StreamRecord], facts: Facts, tags: Mapping[str, str], control: Control
) -> Iterator[tuple[int, DomainEvent]]:
    """Yield the facts of edits that crossed from another version of the service, which publishes them.

    Here they are remembered as if they had been made here: the rules decide upon what is so. A row that is still of the
    same version was written by who erases people, and is no edit.
    """
    for number, record in enumerate(records):
        if not is_crossed(record["dynamodb"].get("NewImage")) or is_same_version(record["dynamodb"]):
            continue
        fact = tried(partial(fact_in, record, facts=facts, tags=tags))
        if isinstance(fact, Failed):
            publish_fault(fact.error, control, strict_json.dumps(record), by=TRIGGER)
        elif fact is not None:
            yield number, fact


def _remember(fact: DomainEvent, control: Control) -> Counts:
    """Store an own fact beside the events of others."""
    own = tried(remembered, fact, control)
    if isinstance(own, Failed):
        publish_fault(own.error, control, strict_json.dumps(fact.to_wire()), by=TRIGGER)
        return Counts([Verdict.FAULT])
    if own is None:
        return Counts()
    settle = control.rules.has_any_on((own.source, fact.type))
    arrived_ms = clock.now_ms()
    stored = own.stored(fact, arrived_ms=arrived_ms)
    return Counts([f"remembered.{store(control.table, stored, now_ms=arrived_ms, settle=settle, gap_ms=own.gap_ms)}"])


def remembered(fact: DomainEvent, control: Control) -> Collected | None:
    """Return the place of an own fact beside the events of others; None: it is not stored."""
    source, key = control.rules.source, control.remembers[fact.type](fact)
    if key is None:
        return None
    gap_ms = control.rules.gap_ms_on((source, fact.type))
    return Collected.of(fact, key=key, source=source, ttl_days=control.ttl_days, gap_ms=gap_ms)


def _react(
    key: CorrelationKey,
    plans: Iterable[ArrivalPlan],
    *,
    control: Control,
    now_ms: int,
    is_time_left: Callable[[], bool],
) -> Counts:
    """Decide about the events that arrived under one correlation key, in their order, so that each is read once."""
    counts, standing, ordered = Counts(), set[RowKey](), sorted(plans, key=lambda plan: plan.anchor.sort)
    evaluator = Evaluator(control, key, anchors=[plan.anchor.sort for plan in ordered if plan.at_once], now_ms=now_ms)
    for plan in ordered:
        counts.update(_evaluate(plan, evaluator, standing, is_time_left))
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    return counts + _look([plan.anchor for plan in ordered], key, control, now_ms)


def _look(arrived: Sequence[StoredEvent], key: CorrelationKey, control: Control, now_ms: int) -> Counts:
    """Schedule screened rules where they would decide something."""
    if not control.rules.screened:
        return Counts()
    evaluator = Evaluator(control, key, anchors=[], now_ms=now_ms)
    counts = write_due_rows(_due_rows_found(arrived, evaluator, control), control)
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    return counts


def _plans(
    arrivals: Iterable[tuple[int, StoredEvent]], control: Control, counts: Counts
) -> list[tuple[int, ArrivalPlan]]:
    """Plan the work for each event, by the number of its record; one for which that fails becomes a fault."""
    plans = list[tuple[int, ArrivalPlan]]()
    for number, stored in arrivals:
        counts["arrived"] += 1
        plan = tried(
            partial(plan_arrival, stored, control.rules, control.table.keys, hold_back_ms=hold_back_ms())
        )  # a rule's `when` and `key` are pure: it would fail in the same way for ever
        if isinstance(plan, Failed):
            publish_event_fault(plan.error, control, stored, by=TRIGGER)
            counts[Verdict.FAULT] += 1
        else:
            plans.append((number, plan))
    return plans


def _schedule(plan: ArrivalPlan, control: Control) -> Counts:
    """Correlate, and schedule the later evaluations."""
    counts = +Counts({Verdict.LATE: len(plan.late), Verdict.FLOODED: int(plan.anchor.flooded)})
    counts.update(f"{Verdict.LATE}.{rule.id}" for rule in plan.late)
    for rule, error in plan.forgotten:
        publish_event_fault(error, control, plan.anchor, by=f"rule-{rule.id}")
        counts[Verdict.FAULT] += 1
    for copied in plan.copies:
        now_ms = clock.now_ms()
        copy = copied._replace(arrived_ms=now_ms)
        gap_ms = control.rules.gap_ms_on(copy.topic)
        counts[f"correlated.{store(control.table, copy, now_ms=now_ms, gap_ms=gap_ms)}"] += 1
    return counts + write_due_rows(plan.due_rows, control)


def _evaluate(
    plan: ArrivalPlan, evaluator: Evaluator, standing: set[RowKey], is_time_left: Callable[[], bool]
) -> Counts:
    """Evaluate rules; defer those for which there is no time, so that the flood of a key delays no other one."""
    counts, waiting = Counts(), list[Rule]()
    for rule in plan.at_once:
        if (evaluator.is_spent or not is_time_left()) and evaluator.knows_enough_for(rule):
            waiting.append(rule)
        else:
            counts.update(write_decisions([evaluator.evaluate(plan.anchor, rule)], evaluator.control, standing))
    if waiting:
        put_beside(deferred(plan.anchor, waiting), evaluator.control)
        counts["deferred"] = len(waiting)
    return counts


# The screen: most events get no due time, for a look says that nothing will be decided at them.
#
# Where a rule hardly ever decides, a due time for each event is two writes and a query for nothing. A *screened* rule
# is looked at by the trigger, when an event arrives, over what is stored by then. Only an event at which it would
# decide something gets a due time. The sweep decides then, as ever, over all that counts: a look puts no decision.
#
# The decisions are those of a due time for each event, in every order of arrival:
#
# 1. What a screened rule decides at an event F follows from F and those events before F in the order of time that count
#    at F: they are not late, and had arrived when F was due. Both are settled when an event is stored.
# 2. Of all these, let E be the one that was stored last. It is F itself, or lies before F, which is its *follower*.
# 3. Whenever the trigger handles E, all of them are stored, and it reads consistently. So if it looks at F then, it
#    sees exactly what the sweep will see. An earlier look at F may be wrong. If it finds something, there is a due time
#    too many, at which the sweep decides nothing; if it finds nothing, E makes up for it.
# 4. So the trigger looks at each event that arrives, and at its followers: those at which it counts and that were
#    stored before it. (Others are looked at when they are handled themselves.) Events do not say when they were stored,
#    but when they arrived, which is at most `STORED_WITHIN_MS` before.
# 5. The row of what is due follows from F alone, whoever puts it, and names all rules that are due then. So looks need
#    no order among each other, and a batch that comes again puts the same rows.
#
# Mostly nothing lies behind an event that arrives. So a key costs one query for each batch: from its newest event back
# to where the look-back ends. An event that is late for the rule counts nowhere, and nobody looks.
#
# In a flood nobody looks either: where more than `MOST_BEHIND` events lie behind the oldest that arrived, all that
# arrived are due, and so are their followers, as far away as a look-back reads: from further away nothing is seen. If
# the stream lags, each batch finds the followers that the last one found. So a process remembers the rows that it put
# without a look, and puts none twice: if one is gone, it was swept when all that counts was stored.
#
# Where a rule fails in a look, the event is due: the sweep makes the fault. The context is that of the look: what a
# rule would decide only by a context that comes later, it does not decide. An event that expires between a look and the
# sweep may make a difference, as it does between two sweeps.

# As many newer events as are read when an event is stored; behind more of them, it is late.
MOST_BEHIND: Final = PAGE * PAGES_OF_NEWER

# Rows that a process remembers: a few batches of a flood.
_MOST_REMEMBERED: Final = 10_000


class RowsPut:
    """The rows that were put without a look, the newest of them."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], None] = {}

    def __contains__(self, row: Item) -> bool:
        return self._key_of(row) in self._keys

    def add(self, row: Item) -> None:
        """Remember a row, and forget the oldest."""
        self._keys[self._key_of(row)] = None
        if len(self._keys) > _MOST_REMEMBERED:
            del self._keys[next(iter(self._keys))]

    @staticmethod
    def _key_of(row: Item) -> tuple[str, str]:
        return row["key"], row["anchor"]


_PUT: Final = WeakKeyDictionary[Rules, RowsPut]()  # one for each service of the process


def _due_rows_found(arrivals: Iterable[StoredEvent], evaluator: Evaluator, control: Control) -> Iterator[Item]:
    """Return the due rows of screened rules, as follows from the events that arrived under the evaluator's key."""
    able = [rule for rule in control.rules.screened if evaluator.knows_enough_for(rule)]
    counting = {one.sort: one for one in arrivals if not all(rule.is_late(one) for rule in able)}
    if not counting:
        return
    new = [one for _, one in sorted(counting.items())]
    behind = evaluator.past.newest_behind(new[0].sort, most=MOST_BEHIND)
    if behind is None:
        followers = _within_reach(new, able, evaluator.past)
        yield from _not_put_yet(_Look(control, able, new, None).due_rows((*new, *followers)), control.rules)
    else:
        yield from _Look(control, able, new, evaluator).due_rows((*new, *behind))


def _not_put_yet(rows: Iterable[Item], rules: Rules) -> Iterator[Item]:
    put = _PUT.setdefault(rules, RowsPut())
    for row in rows:
        if row not in put:
            yield row
            put.add(row)  # it was put, else nobody would have asked for the next one


class _Look(NamedTuple):
    """A look for events that are new; without an evaluator nobody looks, and every rule that is concerned is due.

    able: the screened rules that know enough. new: the events that arrived and count.
    """

    control: Control
    able: Sequence[Rule]
    new: Sequence[StoredEvent]
    evaluator: Evaluator | None

    def due_rows(self, anchors: Iterable[StoredEvent]) -> Iterator[Item]:
        """Return the due rows of screened rules at events where they would decide something."""
        for anchor in {one.sort: one for one in anchors}.values():
            for due, row in self._possible(anchor):
                if self._is_needed(due, anchor):
                    yield row

    def _possible(self, anchor: StoredEvent) -> list[tuple[Due, Item]]:
        """Return the due rows that an event would have if its rules were not screened."""
        possible = tried(self._dues_at, anchor)
        return [] if isinstance(possible, Failed) else possible  # it became a fault when it arrived

    def _dues_at(self, anchor: StoredEvent) -> list[tuple[Due, Item]]:
        rules = self.control.rules
        dues = [*dues_at_arrival(anchor, rules.at_stored(anchor), hold_back_ms=hold_back_ms())]
        return [(due, due.row(self.control.table.keys)) for due in dues if is_screened(due, rules)]

    def _is_needed(self, due: Due, anchor: StoredEvent) -> bool:
        concerned = [rule for rule in self.able if rule.id in due.rules and self._is_concerned(rule, anchor, due.at_ms)]
        looks = None if self.evaluator is None or self.evaluator.is_spent else self.evaluator
        return any(looks is None or looks.evaluate(anchor, rule).may_decide for rule in concerned)

    def _is_concerned(self, rule: Rule, anchor: StoredEvent, due_ms: int) -> bool:
        """Return True if new events may change the decision of a rule at an anchor."""
        return any(one.sort == anchor.sort or _is_seen(rule, one, anchor, due_ms) for one in self.new)


def _is_seen(rule: Rule, one: StoredEvent, follower: StoredEvent, due_ms: int) -> bool:
    """Return True if an event counts at its follower, and may have been stored after it."""
    was_there = follower.arrived_ms <= one.arrived_ms + STORED_WITHIN_MS
    return one.sort < follower.sort and was_there and counts_by(rule, one, due_ms=due_ms)


def _within_reach(new: Sequence[StoredEvent], rules: Iterable[Rule], past: Past) -> Iterator[StoredEvent]:
    """Return the events from which a look-back could come to one that is new; each is read once."""
    most = max(rule.most for rule in rules) + PASSED_OVER + 1  # the new one itself is among them
    waiting = [one.sort for one in reversed(new)]
    while waiting:
        left = most
        for stored in past.oldest_behind(waiting.pop()):
            while waiting and waiting[-1] <= stored.sort:
                waiting.pop()
                left = most
            if not left:
                break
            left -= 1
            yield stored

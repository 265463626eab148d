"""Changes of a control service's table -> domain events, and decisions upon the events that were stored in it.

One way: records -> arrivals -> plan (`plan.py`) -> evaluate and decide (`evaluate.py`) -> write
(`write.py`) -> look (`screen.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import to_plain
from andon.events.change_data_capture import StreamRecord, fact_in, kind_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.latch import is_crossed, is_latched, is_same_version
from andon.events.publish_changes import PublishedBatch, log_published, publish_batch, tags_of
from andon.rules.collect import Collected
from andon.rules.control_service import Control, Counts, Verdict
from andon.rules.evaluate import Evaluator
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import store
from andon.rules.plan import ArrivalPlan, deferred, plan_arrival
from andon.rules.rule import Rule
from andon.rules.screen import due_rows_found
from andon.rules.stored_event import CORRELATED, EVENT, CorrelationKey, StoredEvent
from andon.rules.write import (
    RowKey,
    publish_event_fault,
    publish_fault,
    publish_unreadable,
    put_beside,
    set_aside,
    write_decisions,
    write_due_rows,
)
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
    counts = write_due_rows(due_rows_found(arrived, evaluator, control), control)
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

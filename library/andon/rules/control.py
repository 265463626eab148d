"""Changes of a control service's table -> domain events, and decisions upon the events that were stored in it.

One way: records -> arrivals -> plan (`plan.py`) -> evaluate (`evaluate.py`) -> decide (`decide.py`) -> write
(`write.py`) -> look (`screen.py`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from andon.dynamodb.attribute_values import to_plain
from andon.events.change_data_capture import StreamRecord, fact_in, kind_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.latch import is_crossed, is_latched, is_same_version
from andon.events.publish_changes import log_published, publish_batch, tags_of
from andon.rules.collect import Collected
from andon.rules.control_service import Control
from andon.rules.evaluate import Evaluator
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import store
from andon.rules.plan import ArrivalPlan, plan_arrival
from andon.rules.screen import due_rows_found
from andon.rules.stored_event import CORRELATED, EVENT, CorrelationKey, StoredEvent
from andon.rules.verdict import Counts, Verdict
from andon.rules.write import (
    publish_event_fault,
    publish_fault,
    publish_unreadable,
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


@in_time
def control_changes(event: JsonMapping, context: LambdaContext, *, facts: Facts, control: Control) -> BatchResponse:
    """Handle a batch of the table's stream: publish, remember, then correlate, schedule and evaluate.

    Every step is idempotent: it puts rows under keys that are the same each time. If one fails, the others are done,
    its error is raised, and the batch comes again. Of a batch that could be published in part, that part is handled.
    """
    published = publish_batch(event, context, facts=facts)
    now_ms = clock.now_ms()
    crossed = _crossed(published.records, facts, tags_of(facts, context), control)
    own = [fact for fact in (*published.events, *crossed) if fact.type in control.remembers]
    arrivals = [*_arrivals(published.records, control)]
    tasks = [
        *(partial(_remember, fact, control) for fact in own),
        *(partial(_react, key, stored, control, now_ms) for key, stored in _by_key(arrivals).items()),
    ]
    counts = Counts(dict.fromkeys((Verdict.DECIDED, Verdict.STANDS, Verdict.NOTHING), 0))
    for done in in_parallel(tasks):
        counts.update(done)
    log_published(published, context, facts=facts, more={"arrived": len(arrivals), **counts})
    return published.respond()


def brings_events(records: Iterable[StreamRecord]) -> bool:
    """Return True if a record stores a new event that rules look at."""
    return any(map(_is_arrival, records))


def _is_arrival(record: StreamRecord) -> bool:
    image = record["dynamodb"].get("NewImage")
    return record["eventName"] == "INSERT" and kind_of(image) in {EVENT, CORRELATED} and not is_latched(image)


def _arrivals(records: Iterable[StreamRecord], control: Control) -> Iterator[StoredEvent]:
    """Return the events that were stored: only an INSERT is one, whatever happens to the row later.

    An event that comes back from the archive was decided upon when it came first.
    """
    for record in filter(_is_arrival, records):
        row = to_plain(record["dynamodb"]["NewImage"])
        stored = tried(StoredEvent.of, row, control.table.keys)  # others may write into the store
        if isinstance(stored, Failed):
            publish_unreadable(stored.error, control, row)
        else:
            yield stored


def _crossed(
    records: Iterable[StreamRecord], facts: Facts, tags: Mapping[str, str], control: Control
) -> Iterator[DomainEvent]:
    """Return the facts of edits that crossed from another version of the service, which publishes them.

    Here they are remembered as if they had been made here: the rules decide upon what is so. A row that is still of the
    same version was written by who erases people, and is no edit.
    """
    for record in records:
        if not is_crossed(record["dynamodb"].get("NewImage")) or is_same_version(record["dynamodb"]):
            continue
        fact = tried(partial(fact_in, record, facts=facts, tags=tags))
        if isinstance(fact, Failed):
            publish_fault(fact.error, control, strict_json.dumps(record), by=TRIGGER)
        elif fact is not None:
            yield fact


def _by_key(arrivals: Iterable[StoredEvent]) -> dict[CorrelationKey, list[StoredEvent]]:
    by_key: dict[CorrelationKey, list[StoredEvent]] = defaultdict(list)
    for stored in arrivals:
        by_key[stored.key].append(stored)
    return by_key


def _remember(fact: DomainEvent, control: Control) -> Counts:
    """Store an own fact beside the events of others."""
    own = tried(remembered, fact, control)
    if isinstance(own, Failed):
        publish_fault(own.error, control, strict_json.dumps(fact.to_wire()), by=TRIGGER)
        return Counts([Verdict.FAULT])
    settle = control.rules.has_any_on((own.source, fact.type))
    arrived_ms = clock.now_ms()
    stored = own.stored(fact, arrived_ms=arrived_ms)
    return Counts([f"remembered.{store(control.table, stored, now_ms=arrived_ms, settle=settle, gap_ms=own.gap_ms)}"])


def remembered(fact: DomainEvent, control: Control) -> Collected:
    """Return the place of an own fact beside the events of others."""
    source, key = control.rules.source, control.remembers[fact.type](fact)
    gap_ms = control.rules.gap_ms_on((source, fact.type))
    return Collected.of(fact, key=key, source=source, ttl_days=control.ttl_days, gap_ms=gap_ms)


def _react(key: CorrelationKey, arrivals: Sequence[StoredEvent], control: Control, now_ms: int) -> Counts:
    """Do the work for the events that arrived under one correlation key."""
    plans, counts = _plans(arrivals, control)
    evaluator = Evaluator(control, key, anchors=[plan.anchor.sort for plan in plans if plan.at_once], now_ms=now_ms)
    for plan in plans:
        counts.update(_carry_out(plan, evaluator, control))
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    return counts + _look([plan.anchor for plan in plans], key, control, now_ms)


def _look(arrived: Sequence[StoredEvent], key: CorrelationKey, control: Control, now_ms: int) -> Counts:
    """Schedule screened rules where they would decide something."""
    if not control.rules.screened:
        return Counts()
    evaluator = Evaluator(control, key, anchors=[], now_ms=now_ms)
    counts = write_due_rows(due_rows_found(arrived, evaluator, control), control)
    set_aside(evaluator.past.take_unreadable(), control, now_ms=now_ms)
    return counts


def _plans(arrivals: Iterable[StoredEvent], control: Control) -> tuple[list[ArrivalPlan], Counts]:
    """Plan the work for each event; one for which that fails becomes a fault."""
    plans, counts = list[ArrivalPlan](), Counts()
    for stored in arrivals:
        plan = tried(
            partial(plan_arrival, stored, control.rules, control.table.keys, hold_back_ms=hold_back_ms())
        )  # a rule's `when` and `key` are pure: it would fail in the same way for ever
        if isinstance(plan, Failed):
            publish_event_fault(plan.error, control, stored, by=TRIGGER)
            counts[Verdict.FAULT] += 1
        else:
            plans.append(plan)
    return plans, counts


def _carry_out(plan: ArrivalPlan, evaluator: Evaluator, control: Control) -> Counts:
    """Correlate, schedule, evaluate."""
    counts = +Counts({Verdict.LATE: plan.late, Verdict.FLOODED: int(plan.anchor.flooded)})
    for rule, error in plan.forgotten:
        publish_event_fault(error, control, plan.anchor, by=f"rule-{rule.id}")
        counts[Verdict.FAULT] += 1
    for copied in plan.copies:
        now_ms = clock.now_ms()
        copy = copied._replace(arrived_ms=now_ms)
        gap_ms = control.rules.gap_ms_on(copy.topic)
        counts[f"correlated.{store(control.table, copy, now_ms=now_ms, gap_ms=gap_ms)}"] += 1
    scheduled = write_due_rows(plan.due_rows, control)
    return (
        counts + scheduled + write_decisions((evaluator.evaluate(plan.anchor, rule) for rule in plan.at_once), control)
    )

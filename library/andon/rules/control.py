"""Changes of a control service's table -> domain events, and decisions upon the events that were stored in it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.change_data_capture import StreamRecord, fact_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Facts
from andon.events.latch import is_crossed, is_latched
from andon.events.publish_changes import log_published, publish_batch, tags_of
from andon.rules.collect import Collected
from andon.rules.due import dues_at
from andon.rules.evaluate import Control, Counts, Evaluator, Verdict, publish_fault, publish_unreadable
from andon.rules.hold_back import hold_back_ms
from andon.rules.micro_event_store import store
from andon.rules.rule import Rule
from andon.rules.screen import due_rows, is_screened
from andon.rules.stored_event import CORRELATED, EVENT, CorrelationKey, StoredEvent
from andon.runtime import clock, strict_json
from andon.wire.deadline import in_time
from andon.wire.in_parallel import in_parallel

TRIGGER: Final = "trigger"


@in_time
def control_changes(event: Mapping[str, Any], context: Any, *, facts: Facts, control: Control) -> None:  # noqa: ANN401
    """Handle a batch of the table's stream: publish, remember, then correlate, schedule and evaluate.

    Every step is idempotent: it puts rows under keys that are the same each time. If one fails, the others are done,
    its error is raised, and the batch comes again.
    """
    published = publish_batch(event, context, facts=facts)
    now_ms = clock.now_ms()
    crossed = [*_crossed(event["Records"], facts, tags_of(facts, context), control)]
    own = [fact for fact in (*published.events, *crossed) if fact.type in control.remembers]
    arrivals = [*_arrivals(event["Records"], control)]
    tasks = [
        *(partial(_remember, fact, control) for fact in own),
        *(partial(_react, key, stored, control, now_ms) for key, stored in _by_key(arrivals).items()),
    ]
    counts = Counts(dict.fromkeys((Verdict.DECIDED, Verdict.STANDS, Verdict.NOTHING), 0))
    for done in in_parallel(tasks):
        counts.update(done)
    log_published(published, context, more={"arrived": len(arrivals), **counts})


def brings_events(records: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether events were stored that rules look at."""
    return any(map(_is_arrival, records))


def _is_arrival(record: Mapping[str, Any]) -> bool:
    image = record["dynamodb"].get("NewImage")
    return record["eventName"] == "INSERT" and _is_event(image) and not is_latched(image)


def _arrivals(records: Iterable[Mapping[str, Any]], control: Control) -> Iterable[StoredEvent]:
    """Return the events that were stored: only an INSERT is one, whatever happens to the row later.

    What comes back from the archive was decided upon when it came first.
    """
    for record in filter(_is_arrival, records):
        row = to_plain(record["dynamodb"]["NewImage"])
        try:
            yield StoredEvent.of(row, control.table.keys)
        except Exception as error:  # noqa: BLE001  something else wrote into the store, and reading it is pure
            publish_unreadable(error, control, row)


def _crossed(
    records: Iterable[StreamRecord], facts: Facts, tags: Mapping[str, str], control: Control
) -> Iterable[DomainEvent]:
    """Return what edits mean that crossed from another version of the service.

    It publishes them. Here they are remembered as if they had been made here: the rules decide upon what is so.
    """
    for record in records:
        if not is_crossed(record["dynamodb"].get("NewImage")):
            continue
        try:
            fact = fact_in(record, facts=facts, tags=tags)
        except Exception as error:  # noqa: BLE001  this is pure: it would fail in the same way for ever
            publish_fault(error, control, strict_json.dumps(record), by=TRIGGER)
        else:
            yield from [] if fact is None else [fact]


def _is_event(image: object) -> bool:
    return isinstance(image, dict) and image.get("discriminator", {}).get("S") in {EVENT, CORRELATED}


def _by_key(arrivals: Iterable[StoredEvent]) -> dict[CorrelationKey, list[StoredEvent]]:
    by_key: dict[CorrelationKey, list[StoredEvent]] = defaultdict(list)
    for stored in arrivals:
        by_key[stored.key].append(stored)
    return by_key


def _remember(fact: DomainEvent, control: Control) -> Counts:
    """Store an own fact beside the events of others."""
    source, arrived_ms = control.rules.source, clock.now_ms()
    try:
        key = control.remembers[fact.type](fact)
        own = Collected.of(fact, key=key, source=source, ttl_days=control.ttl_days)
    except Exception as error:  # noqa: BLE001  this is pure: it would fail in the same way for ever
        publish_fault(error, control, strict_json.dumps(fact.to_wire()), by=TRIGGER)
        return Counts([Verdict.FAULT])
    stored = own.stored(fact, arrived_ms=arrived_ms)
    topic = (source, fact.type)
    settle, gap_ms = control.rules.has_any_on(topic), control.rules.gap_ms_on(topic)
    return Counts([f"remembered.{store(control.table, stored, now_ms=arrived_ms, settle=settle, gap_ms=gap_ms)}"])


def _react(key: CorrelationKey, arrivals: Iterable[StoredEvent], control: Control, now_ms: int) -> Counts:
    """Do what follows from the events that arrived under one correlation key."""
    counts, plans = Counts(), list[_Plan]()
    for stored in arrivals:
        try:
            plans.append(_plan(stored, control))
        except Exception as error:  # noqa: BLE001  this is pure: it would fail in the same way for ever
            publish_fault(error, control, strict_json.dumps(stored.row(control.table.keys)), by=TRIGGER)
            counts[Verdict.FAULT] += 1
    anchors = [plan.anchor.sort for plan in plans if plan.at_once]
    evaluator = Evaluator(control, key, anchors=anchors, now_ms=now_ms)
    for plan in plans:
        counts.update(_carry_out(plan, evaluator, control))
    found = due_rows(key, [plan.anchor for plan in plans], control, now_ms=now_ms)
    return counts + _schedule(found, control)


class _Plan(NamedTuple):
    """What follows from an event: copies under other keys, rows of what is due later, and rules to evaluate at once.

    late: the number of rules that it came too late for.
    """

    anchor: StoredEvent
    late: int
    copies: list[StoredEvent]
    due: list[Item]
    at_once: list[Rule]


def _plan(stored: StoredEvent, control: Control) -> _Plan:
    """Decide what follows from an event. Pure."""
    keys = {rule: rule.correlation_key_of(stored.event) for rule in control.rules.at(stored.source, stored.event)}
    here = [rule for rule, key in keys.items() if key == stored.key]
    # A copy is not copied again: the event itself is copied to all keys.
    elsewhere = [] if stored.correlated else sorted(set(keys.values()) - {stored.key})
    rows = {due: due.row(control.table.keys) for due in dues_at(stored, here, hold_back_ms=hold_back_ms())}
    original = stored._replace(
        expire=None, late_by=frozenset(), flooded=False, follows_ms=None, unsteady=False, correlated=True
    )
    return _Plan(
        anchor=stored,
        late=sum(not rule.at_once and rule.is_late(stored) for rule in here),
        copies=[original._replace(key=key) for key in elsewhere],
        due=[row for due, row in rows.items() if not is_screened(due, control.rules)],
        at_once=[rule for rule in here if rule.at_once],
    )


def _carry_out(plan: _Plan, evaluator: Evaluator, control: Control) -> Counts:
    """Correlate, schedule, evaluate."""
    counts = +Counts({Verdict.LATE: plan.late, Verdict.FLOODED: int(plan.anchor.flooded)})
    for copied in plan.copies:
        now_ms = clock.now_ms()
        copy = copied._replace(arrived_ms=now_ms)
        gap_ms = control.rules.gap_ms_on(copy.topic)
        counts[f"correlated.{store(control.table, copy, now_ms=now_ms, gap_ms=gap_ms)}"] += 1
    return counts + _schedule(plan.due, control) + evaluator.evaluate(plan.anchor, plan.at_once)


def _schedule(rows: Iterable[Item], control: Control) -> Counts:
    counts = Counts()
    for row in rows:
        control.table.put(row, condition=UNCONDITIONAL)
        counts["scheduled"] += 1
    return counts

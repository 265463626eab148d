"""Changes of a control service's table -> domain events, and what its rules make of events that came to be there."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from patterns.dynamodb.attribute_values import to_plain
from patterns.dynamodb.expressions import UNCONDITIONAL
from patterns.events.domain_event import DomainEvent
from patterns.events.fact import Facts
from patterns.events.publish_changes import log_published, publish_batch
from patterns.rules.due import dues_of
from patterns.rules.evaluate import Control, Subject, Verdict, evaluate, give_up
from patterns.rules.hold_back import hold_back_ms
from patterns.rules.micro_event_store import collect, store
from patterns.rules.rule import Rule
from patterns.rules.stored_event import CORRELATED, EVENT, Collected, StoredEvent, event_key
from patterns.runtime import clock, strict_json
from patterns.runtime.in_parallel import in_parallel

TRIGGER: Final = "trigger"

Task = Callable[[], list[Counter[str] | Exception]]


def control_changes(event: Mapping[str, Any], context: Any, *, facts: Facts, control: Control) -> None:  # noqa: ANN401
    """Handle a batch of the table's stream: publish, correlate, evaluate. Raise if not all of it could be done.

    Everything here may be done again: what is stored, decided or due is put under a key that is the same each time.
    """
    told = publish_batch(event, context, facts=facts)
    now_ms = clock.now_ms()
    arrivals = [*_arrivals(event["Records"], control)]
    done = in_parallel([*_memories(told.events, control, now_ms), *_reactions(arrivals, control, now_ms)])
    counts = Counter[str](dict.fromkeys((Verdict.DECIDED, Verdict.STANDS, Verdict.NOTHING), 0))
    for counted in done:
        if isinstance(counted, Exception):
            raise counted  # the batch comes again
        counts.update(counted)
    log_published(told, context, more={"arrived": len(arrivals), **counts})


def _arrivals(records: Iterable[Mapping[str, Any]], control: Control) -> Iterable[StoredEvent]:
    """Find the events that came to be: only an INSERT is one, whatever happens to the row later."""
    for record in records:
        image = record["dynamodb"].get("NewImage")
        if record["eventName"] != "INSERT" or not _is_of_event(image):
            continue
        try:
            yield StoredEvent.of(to_plain(image), control.table.keys)
        except Exception as error:  # noqa: BLE001  somebody else wrote into the store, and reading it is pure
            give_up(error, control, strict_json.dumps(record), by=TRIGGER)


def _is_of_event(image: object) -> bool:
    return isinstance(image, dict) and image.get("discriminator", {}).get("S") in {EVENT, CORRELATED}


def _memories(events: Iterable[DomainEvent], control: Control, now_ms: int) -> list[Task]:
    return [
        partial(_attempt, partial(_remember, event, control, now_ms))
        for event in events
        if event.type in control.remembers
    ]


def _reactions(arrivals: Iterable[StoredEvent], control: Control, now_ms: int) -> list[Task]:
    """Give what is to be done for each correlation key."""
    by_key: dict[str, list[StoredEvent]] = defaultdict(list)
    for one in arrivals:
        by_key[one.key].append(one)
    return [partial(_attempt, partial(_react, key, ones, control, now_ms)) for key, ones in by_key.items()]


def _attempt(do: Callable[[], Counter[str]]) -> list[Counter[str] | Exception]:
    try:
        return [do()]
    except Exception as error:  # noqa: BLE001  it is raised when the others are done
        return [error]


def _remember(event: DomainEvent, control: Control, now_ms: int) -> Counter[str]:
    """Store an own fact beside the events that were heard."""
    try:
        own = _own(event, control)
    except Exception as error:  # noqa: BLE001  as above
        give_up(error, control, strict_json.dumps(event.to_wire()), by=TRIGGER)
        return Counter([Verdict.FAULT])
    return Counter([f"remembered.{collect(control.table, own, event, now_ms=now_ms)}"])


def _own(event: DomainEvent, control: Control) -> Collected:
    key = event_key(event, control.table.keys, correlation_key=control.remembers[event.type](event))
    return Collected(key=key, source=control.rules.source, ttl_days=control.ttl_days)


def _react(key: str, arrivals: list[StoredEvent], control: Control, now_ms: int) -> Counter[str]:
    counts, subject = Counter[str](), Subject(control, key, now_ms=now_ms)
    for one in arrivals:
        try:
            plan = _plan(one, control, now_ms)
        except Exception as error:  # noqa: BLE001  as above
            give_up(error, control, strict_json.dumps(one.row(control.table.keys)), by=TRIGGER)
            counts[Verdict.FAULT] += 1
            continue
        for copy in plan.copies:
            counts[f"correlated.{store(control.table, copy, now_ms=now_ms)}"] += 1
        for row in plan.due:
            control.table.put(row, condition=UNCONDITIONAL)
            counts["scheduled"] += 1
        counts.update(evaluate(control, subject, one, plan.at_once))
    return counts


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done about an event: copies for other keys, rows that make rules due, and the rules of now."""

    copies: list[StoredEvent]
    due: list[dict[str, Any]]
    at_once: list[Rule]


def _plan(one: StoredEvent, control: Control, now_ms: int) -> _Plan:
    """Decide it. Pure."""
    keys = {rule: rule.key_of(one.event) for rule in control.rules.at(one.source, one.event)}
    here = [rule for rule, key in keys.items() if key == one.key]
    # A copy is not copied: the event that it is of sees to all keys.
    elsewhere = [] if one.correlated else sorted(set(keys.values()) - {one.key})
    later = (rule for rule in here if not rule.at_once)
    return _Plan(
        copies=[replace(one, key=key, arrived_ms=now_ms, expire=None, correlated=True) for key in elsewhere],
        due=[due.row(control.table.keys) for due in dues_of(one, later, hold_back_ms=hold_back_ms())],
        at_once=[rule for rule in here if rule.at_once],
    )

"""The CPU of a listener's and of a trigger's record without AWS, step by step, each alone on the same records.

What the steps do not explain is *the rest*: what lies between them, and caches that a step alone finds warm.
"""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple, TypeVar
from unittest.mock import patch

import orjson

from andon.dynamodb.attribute_values import to_plain
from andon.dynamodb.client import Table
from andon.events.bus_entry import Delivery, from_envelope, require_not_ahead
from andon.events.change_data_capture import events_of
from andon.events.fact import Change
from andon.events.hops import require_few
from andon.events.publish import publish
from andon.events.publish_changes import PublishedBatch, log_published, tags_of
from andon.events.received import Received
from andon.events.upcast import upcast
from andon.handlers.declared_listener import listener_of
from andon.packages.package import Package
from andon.runtime import clock, strict_json
from andon.runtime.log import logger
from andon.testing.lambda_context import LocalContext
from andon.views.compaction import Message, compact
from andon.views.ledger import Result, line_of
from andon.views.outcome import Outcome
from andon.wire import aws
from andon.wire.in_parallel import in_parallel
from lab.figure import Figure, cpu_us
from lab.workload import EVENTS, InsteadOfAws, batches, split, undisturbed, workload
from services.equipment.facts import FACTS

ROUNDS: Final = 21
TIMES: Final = 5  # that a round does a step, which takes less than a millisecond
BATCH: Final = 10
CONTEXT: Final = LocalContext("measured")
EQUIPMENT, STATE_LOG = Package("services", "equipment"), Package("views", "state_log")
VIEW: Final = listener_of(STATE_LOG.folder)

Input = TypeVar("Input")


class TimedStep(NamedTuple):
    """Work on all records; contains: the names of steps that are part of it, and counted there."""

    name: str
    do: Callable[[], object]
    contains: tuple[str, ...] = ()


def figures() -> list[Figure]:
    """Measure."""
    now_ms = clock.now_ms()
    work = workload(now_ms)
    with undisturbed(now_ms), patch.object(aws, "call", InsteadOfAws().call):
        return [
            *_of_listener(work["messages"], now_ms),
            *_of_trigger(work["records"]),
        ]


def _shares(what: str, whole: Callable[[], object], steps: Sequence[TimedStep]) -> list[Figure]:
    """Return the whole, each step, and the rest."""
    work = {what: whole, **{step.name: step.do for step in steps}}
    rounds = cpu_us(ROUNDS, EVENTS * TIMES, {name: partial(_several_times, do) for name, do in work.items()})
    took = {name: median(measured) for name, measured in rounds.items()}
    shares = {step.name: took[step.name] - sum(took[name] for name in step.contains) for step in steps}
    shares["the rest"] = took[what] - sum(shares.values())
    return [Figure(what, took[what], "µs"), *(Figure(f"… {name}", us, "µs") for name, us in shares.items())]


def _several_times(do: Callable[[], object]) -> None:
    for _ in range(TIMES):
        do()


def _each(do: Callable[[Input], object], inputs: Sequence[Input]) -> Callable[[], None]:
    """Return the work of doing something with each input."""

    def work() -> None:
        for one in inputs:
            do(one)

    return work


def _of_listener(bodies: Sequence[str], now_ms: int) -> list[Figure]:
    envelopes = [strict_json.loads(body) for body in bodies]
    deliveries = [from_envelope(envelope) for envelope in envelopes]
    events = [delivery.event for delivery in deliveries]
    decide, table = VIEW.on[deliveries[0].source, events[0].type], VIEW.table
    if not isinstance(table, Table):
        raise TypeError(f"{VIEW.name} has no table")
    messages = [Message(Received("id"), one.event, decide(one.event), taken_ms=one.taken_ms) for one in deliveries]
    results = [Result(Received("id"), Outcome.APPLIED, one.event, taken_ms=one.taken_ms) for one in messages]

    def check(delivery: Delivery) -> None:
        require_not_ahead(delivery, now_ms=now_ms)
        require_few(delivery.event)
        upcast(delivery.event, VIEW.upcasters, source=delivery.source)

    def write(message: Message) -> None:
        message.update.write(table, message.event, ttl_days=VIEW.ttl_days, now_ms=now_ms)

    def log(some: Sequence[Result]) -> None:
        logger().info("materialized", extra=line_of(some, view=VIEW.name, now_ms=now_ms))

    steps = [
        TimedStep("JSON", _each(orjson.loads, bodies)),
        TimedStep("each number in it exact", _each(strict_json.loads, bodies), ("JSON",)),
        TimedStep("envelope and event", _each(from_envelope, envelopes)),
        TimedStep("its time, its hops, older shapes", _each(check, deliveries)),
        TimedStep("what the view keeps", _each(decide, events)),
        TimedStep("grouped by row", _each(compact, split(messages, BATCH))),
        TimedStep("request of the update", _each(write, messages)),
        TimedStep("turns", _each(in_parallel, split([_nothing] * EVENTS, BATCH))),
        TimedStep("counts and log line", _each(log, split(results, BATCH))),
    ]
    listener = STATE_LOG.handler("listener")
    whole = _each(lambda batch: listener(batch, CONTEXT), batches(bodies, BATCH))
    return _shares("listener without AWS, per record of a batch of 10", whole, steps)


def _of_trigger(records: Sequence[Any]) -> list[Figure]:
    images = [record["dynamodb"]["NewImage"] for record in records]
    changes = [Change("INSERT", None, to_plain(image)) for image in images]
    understand = partial(events_of, facts=FACTS, tags=tags_of(FACTS, CONTEXT))
    events = [*understand(records).values()]
    wires = [event.to_wire() for event in events]
    batch = PublishedBatch(records, dict(enumerate(events)), {"records": EVENTS, "published": EVENTS, "fault": 0})
    steps = [
        TimedStep("plain values", _each(to_plain, images)),
        TimedStep("fact", _each(FACTS.fact_of, changes)),
        TimedStep("event", partial(understand, records), ("plain values", "fact")),
        TimedStep("JSON", _each(orjson.dumps, wires)),
        TimedStep("each number in it exact", _each(strict_json.dumps, wires), ("JSON",)),
        TimedStep("entries", partial(publish, events, source=FACTS.source), ("each number in it exact",)),
        TimedStep("log line", partial(log_published, batch, CONTEXT, facts=FACTS)),
    ]
    whole = partial(EQUIPMENT.handler("trigger"), {"Records": records}, CONTEXT)
    return _shares("trigger without AWS, per record of a batch of 100", whole, steps)


def _nothing() -> None:
    """Do what a task does that waits for nothing."""

"""Figures of this process alone, which sends no request: steps of a record, an API each way, many rules, compaction.

The CPU of a listener's and of a trigger's record, step by step, each alone on the same records; what the steps do not
explain is *the rest*: what lies between them, and caches that a step alone finds warm. An evaluation with many rules of
which one matches, over that with this one alone, and its Queries at a report that much has followed. The share of
writes that compaction saves.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from operator import methodcaller
from statistics import median
from typing import Annotated, Any, Final, NamedTuple, TypeVar
from unittest.mock import patch

import orjson
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Path

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.bus_entry import Delivery, from_envelope, require_not_ahead
from andon.events.change_data_capture import events_of
from andon.events.fact import Change
from andon.events.hops import require_few
from andon.events.publish import publish
from andon.events.publish_changes import PublishedBatch, log_published, tags_of
from andon.events.received import Received
from andon.events.upcast import upcast
from andon.handlers.declared_listener import listener_of
from andon.http import parameters
from andon.http.http_api import HttpApi
from andon.http.models import RequestModel
from andon.http.powertools import PowertoolsApi
from andon.http.response import Response, respond
from andon.packages.package import Package
from andon.rules.control import control_changes
from andon.rules.evaluate import Evaluator
from andon.rules.rule import Control, Rule, Rules
from andon.rules.stored_event import StoredEvent
from andon.runtime import clock, strict_json
from andon.runtime.clock import MINUTE_MS
from andon.runtime.log import logger
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event
from andon.views.materialize import interpret
from andon.views.outcome import Outcome
from andon.views.results import Result, line_of
from andon.views.view_update import FactWrite, compact
from andon.wire import aws
from andon.wire.in_parallel import in_parallel
from contract.duty import Roster
from contract.factories import Place
from contract.names import NORMAL
from demo.people import EVA, LUIS, OMAR, ROSA
from lab.figure import Figure, Goal, cpu_us, median_ratio
from lab.metered import Metered
from lab.workload import EVENTS, InsteadOfAws, batches, reported, split, stored_report, undisturbed, workload
from services.dispatch.control import CONTROL
from services.dispatch.facts import FACTS as DISPATCH_FACTS
from services.dispatch.known import Known
from services.dispatch.rules.assign import RULE
from services.dispatch.tables import KEYS, TABLE, TABLES
from services.equipment.facts import FACTS
from views.board.view import ON

STEP_ROUNDS: Final = 21
TIMES: Final = 5  # that a round does a step, which takes less than a millisecond
BATCH: Final = 10
REQUESTS, REQUEST_ROUNDS = 200, 21
WRITERS: Final = frozenset({"writer"})
CONTEXT: Final = LocalContext("measured")
EQUIPMENT, STATE_LOG = Package("services", "equipment"), Package("views", "state_log")
VIEW: Final = listener_of(STATE_LOG.folder)

Input = TypeVar("Input")


class TimedStep(NamedTuple):
    """Work on all records; contains: the names of steps that are part of it, and counted there."""

    name: str
    do: Callable[[], object]
    contains: tuple[str, ...] = ()


def of_steps() -> list[Figure]:
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
    rounds = cpu_us(STEP_ROUNDS, EVENTS * TIMES, {name: partial(_several_times, do) for name, do in work.items()})
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
    messages = [FactWrite(Received("id"), one.event, decide(one.event), taken_ms=one.taken_ms) for one in deliveries]
    results = [Result(Received("id"), Outcome.APPLIED, one.event, taken_ms=one.taken_ms) for one in messages]

    def check(delivery: Delivery) -> None:
        require_not_ahead(delivery, now_ms=now_ms)
        require_few(delivery.event)
        upcast(delivery.event, VIEW.upcasters, source=delivery.source)

    def write(message: FactWrite) -> None:
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


MANY: Final = 50
RULE_EVENTS: Final = 200
RULE_ROUNDS: Final = 15
PAST: Final = 3  # reports of each piece of equipment, of which the last one is abnormal
NOW_MS: Final = 1_588_032_000_000
KNOWN: Final = Known(Place("gdl-1", "line-3", "Press 7"), Roster((EVA, LUIS, OMAR), ROSA))
ARN: Final = "arn:aws:dynamodb:us-east-1:000000000000:table/Andon-DispatchTable/stream/2020-01-01T00:00:00.000"


@dataclass(frozen=True, slots=True)
class Deciding:
    """The trigger of dispatch's table at work on new reports, of each of which *assign* decides."""

    aws: InsteadOfAws
    batches: Sequence[dict[str, Any]]

    def by(self, rules: Sequence[Rule]) -> Callable[[], None]:
        """Return the work of deciding by these rules."""
        control = CONTROL._replace(
            rules=Rules(CONTROL.rules.source, DISPATCH_FACTS.types, tuple(rules)), context_of=lambda _: KNOWN
        )
        return partial(self._decide, control)

    def _decide(self, control: Control) -> None:
        with patch.object(aws, "call", self.aws.call):
            for batch in self.batches:
                control_changes(batch, LocalContext("dispatch-trigger"), facts=DISPATCH_FACTS, control=control)


def of_rules() -> list[Figure]:
    """Measure, the matching rule being the last."""
    with undisturbed(NOW_MS):
        deciding = prepared(RULE_EVENTS)
        rules = {"one": [RULE], "many": [*others(of_another_type), RULE], "asked": [*others(of_another_state), RULE]}
        work = {name: deciding.by(some) for name, some in rules.items()}
        measured = cpu_us(RULE_ROUNDS, RULE_EVENTS, work)
    ratios = {name: median_ratio(measured[name], measured["one"]) for name in work}
    return [
        Figure("evaluation without AWS, CPU", median(measured["one"]), "µs"),
        Figure(f"… {MANY} rules / 1", ratios["many"], "", Goal("≤", 1.20)),
        Figure(f"… {MANY} on the event's type, told apart by `when`", ratios["asked"], "x"),
        *(
            Figure(f"Queries of an evaluation, {n:,} newer events", queries_of(n), "", Goal("≤", 3))
            for n in (0, 1_000, 20_000)
        ),
    ]


class SmallBody(RequestModel):
    """The body of a request."""

    name: str
    width: int


def of_requests() -> list[Figure]:
    """Measure one request: through `HttpApi`, through Powertools' resolver behind it, through the resolver alone."""
    handlers = {"ours": _by_http_api(), "both": _by_both(), "alone": _by_resolver()}
    path, body = {"id": "press-7"}, {"name": "press", "width": 3}
    event = http_event("PUT /things/{id}", path=path, body=body, groups=WRITERS)

    def repeated(handler: Callable[[Any, Any], object]) -> Callable[[], None]:
        def repeat() -> None:
            for _ in range(REQUESTS):
                handler(event, CONTEXT)

        return repeat

    with undisturbed(NOW_MS):
        measured = cpu_us(REQUEST_ROUNDS, REQUESTS, {name: repeated(handler) for name, handler in handlers.items()})
    ratios = {name: median_ratio(measured[name], measured["ours"]) for name in measured}
    return [
        Figure("request without AWS, CPU", median(measured["ours"]), "µs"),
        Figure("… by `PowertoolsApi` / `HttpApi`", ratios["both"], "x"),
        Figure("… by Powertools' resolver alone / `HttpApi`", ratios["alone"], "x"),
    ]


def _by_http_api() -> Callable[..., object]:
    api = HttpApi()

    @api.serves("PUT /things/{id}", groups=WRITERS)
    def put_thing(thing_id: Annotated[str, parameters.Path(alias="id")], body: SmallBody) -> Response:
        return respond(HTTPStatus.OK, {"id": thing_id, **body.model_dump()})

    return api.handler


def _by_both() -> Callable[..., object]:
    app = APIGatewayHttpResolver(enable_validation=True)
    api = PowertoolsApi(app)

    @app.put("/things/<id>")
    @api.allows(groups=WRITERS)
    def put_thing(thing_id: Annotated[str, Path(alias="id")], body: SmallBody) -> Response:
        return respond(HTTPStatus.OK, {"id": thing_id, **body.model_dump()})

    return api.handler


def _by_resolver() -> Callable[..., object]:
    app = APIGatewayHttpResolver(enable_validation=True)

    @app.put("/things/<id>")
    def put_thing(thing_id: Annotated[str, Path(alias="id")], body: SmallBody) -> dict[str, Any]:
        return {"id": thing_id, **body.model_dump()}

    return app.resolve


def queries_of(newer: int) -> int:
    """Count the queries of all rules on a report that so many others have followed."""
    past = _past("d#1")
    after_ms = max(rule.after_ms for rule in CONTROL.rules.all) + 1
    later = [stored_report("d#1", "WARNING1", NOW_MS + after_ms + number) for number in range(newer)]
    control = CONTROL._replace(context_of=lambda _: KNOWN)
    with Metered(TABLES) as loop:
        for one in (*past, *later):
            TABLE.put(one.row(KEYS), condition=UNCONDITIONAL)
        evaluator = Evaluator(control, past[-1].key, anchors=[past[-1].sort], now_ms=NOW_MS)
        for rule in filter(methodcaller("is_on", past[-1]), CONTROL.rules.all):
            evaluator.evaluate(past[-1], rule)
        return loop.meter.used.requests["Query"]


def prepared(events: int) -> Deciding:
    """Return the changes that so many events were stored by, and what a query of the store finds."""
    pasts = [_past(f"d#{number}") for number in range(events)]
    stored = {past[0].key: [to_typed(one.row(KEYS)) for one in reversed(past)] for past in pasts}
    records = [_change_of(number, past[-1]) for number, past in enumerate(pasts)]
    return Deciding(InsteadOfAws(stored), [{"Records": some} for some in split(records, BATCH)])


def others(other: Callable[[int], Rule]) -> list[Rule]:
    """Make the rules that do not match."""
    return [other(number) for number in range(MANY - 1)]


def of_another_type(number: int) -> Rule:
    """Make a rule that is on something else."""
    return RULE._replace(id=f"other-{number}", on=frozenset({("equipment", f"other-{number}-reported")}))


def of_another_state(number: int) -> Rule:
    """Make a rule that is on the same type, and on another state."""
    return RULE._replace(
        id=f"other-{number}", when=lambda event: event.entity("state").get("state") == f"OTHER{number}"
    )


def _past(equipment_id: str) -> list[StoredEvent]:
    states = [*[NORMAL] * (PAST - 1), "WARNING1"]
    return [stored_report(equipment_id, state, NOW_MS - (PAST - n) * MINUTE_MS) for n, state in enumerate(states, 1)]


def _change_of(number: int, one: StoredEvent) -> dict[str, Any]:
    image = to_typed(one.row(KEYS))
    change = {"Keys": {name: image[name] for name in KEYS.names}, "NewImage": image}
    return {"eventID": f"{number:032x}", "eventName": "INSERT", "eventSourceARN": ARN, "dynamodb": change}


def of_compaction() -> list[Figure]:
    """Compact batches of reports to the board, as `materialize` does: of machines some of which report far more often.

    And of machines each of which reports three times in a row.
    """
    equipment, batch, skew, burst = 10_000, 1000, 0.99, 3
    weights = [rank**-skew for rank in range(1, equipment + 1)]
    zipf = random.Random(1).choices(range(equipment), weights, k=batch * 10)  # noqa: S311  no secret
    bursts = [number // burst for number in range(30 * burst)]
    skewed, bursting = f"Zipf {skew} of {equipment:,}, batch {batch}", f"bursts of {burst}, batch {BATCH}"
    return [
        Figure(f"writes saved, {skewed}", saved(zipf, batch), "%", Goal("≥", 35)),
        Figure(f"writes saved, {bursting}", saved(bursts, BATCH), "%", Goal("≥", 60)),
    ]


def saved(equipment: Sequence[int], batch: int) -> float:
    """Return the percentage of messages that need no write of their own."""
    now_ms = clock.now_ms()
    bodies = reported(equipment, now_ms=now_ms)
    messages = [FactWrite(Received("", alone=body), *interpret(body, ON, now_ms=now_ms)) for body in bodies]
    writes = sum(len(compact(some)) for some in split(messages, batch))
    return 100 * (1 - writes / len(messages))

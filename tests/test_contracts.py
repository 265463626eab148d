"""Contracts of the folders: packages are found by folder name, never listed."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.events import drift, fault
from andon.events.actor import actor_of
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.discovery import apis, packages, pages, services, views
from andon.packages.package import Package
from andon.project import project
from andon.recorded.archive import shard_of
from andon.runtime import times
from andon.testing.drift import keep_in_lake
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import bus_message, sqs_event
from andon.testing.loop import Loop
from andon.testing.recorder import recorded, samples_of
from andon.testing.samples import EVENTS, is_of_old, paths, read, topic_of
from andon.testing.world import World
from andon.tools.in_process import openapi
from andon.wire import aws
from tests.support.anomalies import model_content, put_model
from tests.support.services.reports import report

DOMAIN = paths("domain")
RULES = "rule:"


def rules_named_in(message: dict[str, Any]) -> Iterator[str]:
    """Yield the rule that decided what a message says, if one did: it is the actor."""
    actor = actor_of(DomainEvent.from_wire(message))
    if actor.startswith(RULES):
        yield actor.removeprefix(RULES)


@pytest.fixture
def world() -> Iterator[World]:
    with World() as world:
        yield world


def family_of(rule_id: str) -> str:
    """Return the name of rules that differ in a number alone, as those of minutes do: one sample stands for all."""
    return re.sub(r"-[0-9]+$", "", rule_id)


def test_every_rule_has_a_sample_of_what_it_decides() -> None:
    deciding = [package for package in services() if package.has("control")]
    decided = {rule for sample in DOMAIN for rule in rules_named_in(read(sample))}

    assert deciding
    declared = {rule.id for package in deciding for rule in package.load("control").CONTROL.rules.all}
    assert {*map(family_of, declared)} == {*map(family_of, decided)}


def test_a_listener_settles_gaps_of_the_length_that_the_rules_have() -> None:
    """It knows no rules: see `gaps.py`."""
    judged = {
        (package.name, topic_of(sample)): (
            package.load("subscriptions").ON[topic_of(sample)](DomainEvent.from_wire(read(sample))).gap_ms,
            package.load("control").CONTROL.rules.gap_ms_on(topic_of(sample)),
        )
        for package in services()
        if package.has("control")
        for sample in DOMAIN
        if package.load("control").CONTROL.rules.has_any_on(topic_of(sample))
        and package.subscribes_to(*topic_of(sample))
        and not is_of_old(sample)
    }

    assert all(listener == rules for listener, rules in judged.values())
    assert [*filter(None, (rules for _, rules in judged.values()))]


REPORTS = {"14:35": "NORMAL", "14:40": "WARNING1", "14:45": "WARNING1", "14:50": "ERROR", "15:35": "NORMAL"}
SWEEPS = ("14:51", "14:56", "15:21", "15:36")


def decided_upon_reports() -> list[dict[str, Any]]:
    """Report what the samples of decisions are about; return the events that rules decided."""
    published: list[dict[str, Any]] = []
    with Loop() as loop:
        loop.call(read(EVENTS / "http" / "set-roster.json"))
        body = read(EVENTS / "http" / "register-equipment.json")["body"]
        loop.request("PUT /equipment/{id}", path={"id": "press-8"}, body=body)
        loop.run()
        for time in sorted([*REPORTS, *SWEEPS]):
            with frozen_clock(times.to_ms(f"2020-04-24T{time}Z")):
                if state := REPORTS.get(time):
                    report(loop, "press-8", state, at=f"2020-04-24T{time}Z")
                published += loop.sweep()
    return [event["detail"] for event in published if [*rules_named_in(event["detail"])]]


UNUSUAL = {  # state -> minutes, of a machine that reports each five minutes
    "NORMAL": (0, 5, 25, 30),
    "WARNING1": tuple(range(31, 44)),
    "MELTING": (44,),
}


def anomalies_in_reports() -> list[dict[str, Any]]:
    """Report what the samples of anomalies are about; return the events that rules decided."""
    published: list[dict[str, Any]] = []
    with Loop() as loop:
        put_model(loop, model_content("press-8"))
        for minute, state in sorted((minute, state) for state, all_of in UNUSUAL.items() for minute in all_of):
            time = f"2020-04-24T14:{minute:02d}:00.000Z"
            with frozen_clock(times.to_ms(time)):
                report(loop, "press-8", state, at=time)
                loop.run()
        with frozen_clock(times.to_ms("2020-04-24T14:46:00Z")):
            published += loop.sweep()
    return [event["detail"] for event in published if event["source"] == "anomalies"]


def without_ids(event: dict[str, Any]) -> dict[str, Any]:
    """Leave out the ids, which come from a table's stream: of an event and of those that it was decided upon."""
    plain: dict[str, Any] = json.loads(json.dumps(event), object_hook=_without_id)
    return plain


def _without_id(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name != "id"}


def test_the_samples_of_decisions_are_what_the_rules_decide() -> None:
    decided = [without_ids(event) for event in decided_upon_reports() + anomalies_in_reports()]

    of_laws = {path for package in recorded() for path in samples_of(package)}  # which compare them with their requests
    typed = [read(sample) for sample in DOMAIN if f"domain/{sample.name}" not in of_laws]
    samples = [sample for sample in typed if [*rules_named_in(sample)]]
    assert samples
    assert [event["type"] for event in samples if without_ids(event) not in decided] == []


def test_a_report_of_before_is_lifted_to_the_one_of_today() -> None:
    before, today = (
        DomainEvent.from_wire(read(EVENTS / "domain" / f"state-reported{age}.json")) for age in (".v1", "")
    )

    assert upcast(before, NONE, source="equipment") == today._replace(id=before.id)


def test_the_sample_of_a_fault_is_what_its_consumer_publishes_when_it_gets_the_message(world: World) -> None:
    sample = read(EVENTS / "domain" / "fault.json")
    view, _, role = sample["fault"]["consumer"].partition(".")

    with frozen_clock(sample["timestamp"]):
        batch = sqs_event([sample["fault"]["message"]])
        Package("views", view).handler(role)(batch, LocalContext(f"{view}-{role}"))

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == sample
    assert (message["source"], message["detail-type"]) == (view, fault.TYPE)


def test_the_sample_of_a_drift_is_what_its_view_publishes_of_a_row_that_says_something_else(world: World) -> None:
    sample, event = read(EVENTS / "domain" / "drift-detected.json"), read(EVENTS / "domain" / "state-reported.json")
    view = Package("views", sample["drift"]["view"])
    line = bus_message(DomainEvent.from_wire(event), source="equipment")
    context = LocalContext("state_log")
    [(table, _)] = view.tables.items()

    with frozen_clock(sample["timestamp"]):
        view.handler("listener")(sqs_event([line]), context)
        keep_in_lake([line])
        [row] = world.rows(table)
        wrong = {name: differing["found"] for name, differing in sample["drift"]["fields"].items()}
        aws.client("dynamodb").put_item(TableName=table, Item=to_typed(row | wrong))
        view.handler("recompute")({"shard": shard_of(event["partitionKey"])}, context)

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == sample
    assert (message["source"], message["detail-type"]) == (view.name, drift.TYPE)
    assert world.rows(table) == [row]


def test_the_fault_store_keeps_the_sample_and_publishes_nothing(world: World) -> None:
    event = DomainEvent.from_wire(read(EVENTS / "domain" / "fault.json"))
    store = Package("stores", "faults")

    answer = store.handler("listener")(sqs_event([to_message(event, source="state_log")]), LocalContext("faults"))

    assert answer == {"batchItemFailures": []}
    assert len([one for one in world.objects(store.store.BUCKET) if one["Key"].startswith("faults/")]) == 1
    assert world.new_messages() == []


def test_the_sample_of_the_lakes_queue_has_samples_of_events_inside() -> None:
    for record in read(EVENTS / "queue" / "lake.json")["Records"]:
        envelope = json.loads(record["body"])
        assert envelope["detail"] == read(EVENTS / "domain" / f"{envelope['detail-type']}.json")


def test_every_package_stands_in_the_stack() -> None:
    stack = (project().root / "infra" / "stack.py").read_text()

    assert [page.name for page in pages() if f'Page(self, "{page.name}", hub, api)' not in stack] == []
    assert not [
        f"functions/{package.side}/{package.name} stands in no line of infra/stack.py"
        for package in services() + views()
        if f'(self, "{package.name}", hub, api' not in stack
    ]


def test_the_openapi_document_has_exactly_the_routes() -> None:
    paths = read(openapi.DOCUMENT)["paths"]
    documented = {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}

    assert documented == {route for package in apis() for route in package.routes}


def test_what_the_openapi_document_leaves_out_asks_for_no_token() -> None:
    left_out = [package for package in packages() if package not in apis()]

    assert left_out == pages() != []
    assert {groups for package in left_out for groups in package.routes.values()} == {frozenset()}

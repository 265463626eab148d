"""Contracts: what a package publishes, whoever subscribes to it reads; the samples under `events/` are the contract."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from andon.cdk.checks.view_keys import refuse_foreign_keys
from andon.events import drift, fault
from andon.events.actor import actor_of, with_actor
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.discovery import apis, packages, readers, services, subscribers_of, views
from andon.packages.package import Package
from andon.rules.collect import Collected
from andon.testing.convergence import mistaken_dates, stories_of, view_of
from andon.testing.environment import ACCOUNT, frozen_clock
from andon.testing.lambda_context import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.replayable import time_of
from andon.testing.samples import EVENTS, is_of_old, paths, read, topic_of, type_of
from andon.testing.world import World

STREAM: Final = paths("stream")
DOMAIN: Final = paths("domain")

NO_FACTS: Final = {fault.TYPE, drift.TYPE}
"""Types of events that consumers publish about messages and rows."""


def published_types() -> set[tuple[str, str]]:
    facts = [package.facts for package in services()]
    return {(declared.source, event_type) for declared in facts for event_type in declared.types}


@pytest.mark.parametrize("sample", STREAM, ids=lambda path: path.name)
def test_a_stream_sample_fed_to_its_trigger_publishes_exactly_the_domain_sample(world: World, sample: Path) -> None:
    batch, domain = read(sample), read(EVENTS / "domain" / sample.name)
    source = domain["tags"]["source"]

    with frozen_clock(time_of(batch)):
        Package("services", source).handler("trigger")(batch, LocalContext(domain["tags"]["functionname"]))

    (message,) = [json.loads(body) for body in world.new_messages()]
    assert message["detail"] == domain
    assert (message["source"], message["detail-type"]) == (source, type_of(sample))


@pytest.mark.parametrize(
    ("listener", "sample"),
    [(package, sample) for package in readers() for sample in DOMAIN if package.subscribes_to(*topic_of(sample))],
    ids=lambda value: value.name,
)
def test_every_listener_digests_the_samples_of_what_it_subscribes_to(
    world: World, listener: Package, sample: Path
) -> None:
    event = DomainEvent.from_wire(read(sample))
    before = world.kept(listener)

    with frozen_clock(event.timestamp_ms):
        message = to_message(event, source=event.tags["source"])
        answer = listener.handler("listener")(sqs_event([message]), LocalContext(f"{listener.name}-listener"))

    assert answer == {"batchItemFailures": []}
    assert world.kept(listener) != before
    assert world.new_messages() == [], "a fault was published"


def test_who_listens_subscribes_to_something() -> None:
    assert [package.name for package in readers() if not package.subscriptions] == []


def test_every_type_that_anybody_subscribes_to_is_published_by_that_service_and_has_a_sample() -> None:
    wanted = {subscription for package in readers() for subscription in package.subscriptions}

    assert wanted <= published_types()
    assert wanted <= {topic_of(sample) for sample in DOMAIN}


def test_every_published_type_has_a_sample_from_its_stream_and_on_the_bus() -> None:
    types = {event_type for _, event_type in published_types()}
    # A fault and a drift come from no stream, and no service publishes an old shape any more.
    of_facts = [sample for sample in DOMAIN if type_of(sample) not in NO_FACTS and not is_of_old(sample)]

    assert types == {type_of(sample) for sample in of_facts}
    assert {sample.name for sample in of_facts} == {sample.name for sample in STREAM}


@pytest.mark.parametrize("sample", DOMAIN, ids=lambda path: path.name)
def test_every_sample_says_who_did_it_or_an_old_one_is_lifted(sample: Path) -> None:
    event = DomainEvent.from_wire(read(sample))

    assert with_actor(event).tags["actor"] == actor_of(event) != ""
    assert is_of_old(sample) or "actor" in event.tags


def test_a_type_with_an_older_shape_is_still_published() -> None:
    assert {type_of(sample) for sample in DOMAIN if is_of_old(sample)} <= {name for _, name in published_types()}


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_faults_are_kept_whoever_publishes_them(source: str) -> None:
    assert Package("stores", "faults") in subscribers_of(source, fault.TYPE)


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_drift_is_kept_whoever_publishes_it(source: str) -> None:
    assert Package("stores", "drift") in subscribers_of(source, drift.TYPE)


@pytest.mark.parametrize("view", views(), ids=lambda view: view.name)
def test_a_view_has_the_partition_key_of_its_events_and_no_key_that_moves(view: Package) -> None:
    refuse_foreign_keys(view)


@pytest.mark.parametrize("view", views(), ids=lambda view: view.name)
def test_what_says_the_date_of_a_row_always_does_and_the_view_declares_how_far_it_lies(view: Package) -> None:
    events = {event.id: event for story in stories_of(view.name).values() for event in story}

    assert [*mistaken_dates(view_of(view.name), events.values())] == []


@pytest.mark.parametrize(
    "control", [package for package in services() if package.has("control")], ids=lambda one: one.name
)
def test_what_a_rule_is_about_is_stored_until_the_rule_is_due(control: Package) -> None:
    rules, subscribed = control.load("control").CONTROL.rules, control.load("subscriptions")
    for topic, sample in ((topic_of(path), path) for path in DOMAIN):
        if rules.has_any_on(topic) and topic in subscribed.ON:
            upcasters = getattr(subscribed, "UPCASTERS", NONE)
            kept = subscribed.ON[topic](upcast(DomainEvent.from_wire(read(sample)), upcasters, source=topic[0]))
            if isinstance(kept, Collected):
                for rule in (rule for rule in rules.all if topic in rule.on):
                    rule.require_kept(kept.ttl_days)


def test_samples_of_one_row_have_times_of_their_own() -> None:
    """As its writes have, see `andon.versions`: of one millisecond, ids would decide which of them is the newer."""
    seen = dict[tuple[str, int], Path]()
    for sample in STREAM:
        [record] = read(sample)["Records"]
        row = f"{record['eventSourceARN']} {json.dumps(record['dynamodb']['Keys'], sort_keys=True)}"
        event = read(EVENTS / "domain" / sample.name)
        other = seen.setdefault((row, event["timestamp"]), sample)
        assert other == sample, f"{sample.name} and {other.name} are of one row and millisecond: make one later"


@pytest.mark.parametrize("source", [package.name for package in packages()])
def test_everything_goes_into_the_lake_whoever_publishes_it(source: str) -> None:
    assert Package("stores", "lake") in subscribers_of(source, "something-done")


def test_every_route_has_a_sample() -> None:
    routes = {route for package in packages() for route in package.routes}

    assert routes == {read(sample)["routeKey"] for sample in paths("http")}


def test_samples_name_no_account_but_zeros() -> None:
    accounts = {part for path in EVENTS.rglob("*.json") for part in _twelve_digits(path.read_text())}

    assert accounts <= {ACCOUNT}


def test_a_route_of_the_documented_api_asks_for_a_group_unless_it_is_public() -> None:
    assert all(bool(groups) != (route in one.public) for one in apis() for route, groups in one.routes.items())


def _twelve_digits(text: str) -> Iterator[str]:
    for word in text.replace('"', ":").split(":"):
        if len(word) == len(ACCOUNT) and word.isdigit():
            yield word

"""Contracts: what a package publishes, whoever subscribes to it reads; the samples under `events/` are the contract."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from andon.cdk.checks.declared import refuse_foreign_keys
from andon.events import drift, fault
from andon.events.actor import actor_of, with_actor
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.upcast import NONE, upcast
from andon.packages.discovery import apis, packages, readers, services, subscribers_of, views
from andon.packages.package import Package
from andon.rules.collect import Collected
from andon.testing.convergence import mistaken_dates, stories_of, view_of
from andon.testing.environment import ACCOUNT, LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.replayable import time_of
from andon.testing.samples import EVENTS, is_of_old, paths, read, topic_of, type_of
from andon.testing.world import World

STREAM: Final = paths("stream")
DOMAIN: Final = paths("domain")

_WRITE: Final = "let a request in tests/<side>/<package>/samples.py cause it, then: andon samples"

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

    published = [json.loads(body) for body in world.new_messages()]
    found = [(one["source"], one["detail-type"], one["detail"]) for one in published]
    assert found == [(source, type_of(sample), domain)], (
        f"events/stream/{sample.name} becomes {_names(found) or 'nothing'}, and not events/domain/{sample.name}. "
        f"Is that a change which you want: andon samples. Else mend the fact of {type_of(sample)} in {source}"
    )


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

    faults = [json.loads(body)["detail"]["fault"]["error"]["message"] for body in world.new_messages()]
    what = f"{listener.name}.listener, with events/domain/{sample.name},"
    where = f"See ON in functions/{listener.folder}; an older shape needs a step in UPCASTERS"
    assert not faults, f"{what} publishes a fault: {faults[0]}. {where}"
    assert answer == {"batchItemFailures": []}, f"{what} fails, and would get it again and again. {where}"
    assert world.kept(listener) != before, f"{what} keeps nothing, though it subscribes to that. {where}"


def test_who_listens_subscribes_to_something() -> None:
    deaf = [package.folder for package in readers() if not package.subscriptions]

    assert not deaf, f"{', '.join(deaf)} subscribes to nothing: name facts in its ON, or remove its listener"


def test_every_type_that_anybody_subscribes_to_is_published_by_that_service_and_has_a_sample() -> None:
    wanted = {subscription for package in readers() for subscription in package.subscriptions}

    unknown = wanted - published_types()
    assert not unknown, f"nobody publishes {_names(unknown)}, which is in the ON of somebody: mend its source or type"
    unseen = wanted - {topic_of(sample) for sample in DOMAIN}
    assert not unseen, f"no sample of {_names(unseen)}: {_WRITE}"


def test_every_published_type_has_a_sample_from_its_stream_and_on_the_bus() -> None:
    types = {event_type for _, event_type in published_types()}
    # A fault and a drift come from no stream, and no service publishes an old shape any more.
    of_facts = [sample for sample in DOMAIN if type_of(sample) not in NO_FACTS and not is_of_old(sample)]

    seen = {type_of(sample) for sample in of_facts}
    assert not types - seen, f"events/domain/ has no sample of {_names(types - seen)}: {_WRITE}"
    assert not seen - types, f"nobody publishes {_names(seen - types)} any more: andon samples removes its samples"
    alone = {sample.name for sample in of_facts} ^ {sample.name for sample in STREAM}
    assert not alone, f"{_names(alone)} is in one of events/stream/ and events/domain/: andon samples writes both"


@pytest.mark.parametrize("sample", DOMAIN, ids=lambda path: path.name)
def test_every_sample_says_who_did_it_or_an_old_one_is_lifted(sample: Path) -> None:
    event = DomainEvent.from_wire(read(sample))

    assert with_actor(event).tags["actor"] == actor_of(event) != ""
    assert is_of_old(sample) or "actor" in event.tags, (
        f"events/domain/{sample.name} has no tag `actor`: andon samples; if its shape is one of before, name it "
        f"{type_of(sample)}.v0.json"
    )


def test_a_type_with_an_older_shape_is_still_published() -> None:
    gone = {type_of(sample) for sample in DOMAIN if is_of_old(sample)} - {name for _, name in published_types()}

    assert not gone, f"nobody publishes {_names(gone)} any more: remove its samples of older shapes, in events/domain/"


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

    mistaken = [*mistaken_dates(view_of(view.name), events.values())]

    assert not mistaken, f"views/{view.name}: {mistaken[0]}"


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

    sampled = {read(sample)["routeKey"] for sample in paths("http")}
    assert not routes - sampled, f"events/http/ has no sample of {_names(routes - sampled)}: {_WRITE}"
    assert not sampled - routes, f"nothing answers {_names(sampled - routes)}: andon samples removes its samples"


def test_samples_name_no_account_but_zeros() -> None:
    accounts = {part for path in EVENTS.rglob("*.json") for part in _twelve_digits(path.read_text())}

    assert accounts <= {ACCOUNT}, f"a sample in events/ names an account, {_names(accounts - {ACCOUNT})}: write zeros"


def test_a_route_of_the_documented_api_asks_for_a_group_unless_it_is_public() -> None:
    unclear = [route for one in apis() for route, groups in one.routes.items() if bool(groups) == (route in one.public)]

    assert not unclear, f"who may call {_names(unclear)}? Give it groups=…, or is_public=True without groups"


def _names(found: Iterable[object]) -> str:
    """Return names in a sentence; of topics `source/type`."""
    return ", ".join(sorted("/".join(map(str, one[:2])) if isinstance(one, tuple) else str(one) for one in found))


def _twelve_digits(text: str) -> Iterator[str]:
    for word in text.replace('"', ":").split(":"):
        if len(word) == len(ACCOUNT) and word.isdigit():
            yield word

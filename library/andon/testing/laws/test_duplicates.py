"""Duplicates: a message that comes again changes nothing, and a change that comes again is the same event."""

import json
from pathlib import Path

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.discovery import readers
from andon.packages.package import Package
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.replayable import invocations_of, time_of
from andon.testing.samples import body_of, paths, read, topic_of
from andon.testing.world import World


@pytest.mark.parametrize("sample", paths("stream"), ids=lambda path: path.name)
def test_a_change_that_comes_again_is_published_as_the_same_event(world: World, sample: Path) -> None:
    batch = read(sample)

    with frozen_clock(time_of(batch)):
        for _ in range(2):
            for one in invocations_of(batch):
                one.package.handler(one.role)(one.event, LocalContext(one.role))

    [first, *others] = [json.loads(body)["detail"] for body in world.new_messages()]
    assert others == [first], (
        f"events/stream/{sample.name} becomes another fact when it comes again, or {len(others)} of them: a fact "
        f"follows from its row alone, see functions/services/{first['tags']['source']}/facts.py"
    )


@pytest.mark.parametrize(
    ("listener", "sample"),
    [(package, path) for package in readers() for path in paths("domain") if package.subscribes_to(*topic_of(path))],
    ids=lambda value: value.name,
)
def test_a_message_that_comes_again_changes_nothing(world: World, listener: Package, sample: Path) -> None:
    event = DomainEvent.from_wire(read(sample))
    handler, batch = listener.handler("listener"), sqs_event([body_of(event)])
    with frozen_clock(event.timestamp_ms):
        handler(batch, LocalContext("listener"))
        once = world.kept(listener)
        answer = handler(batch, LocalContext("listener"))

    assert answer == {"batchItemFailures": []}
    assert world.kept(listener) == once, (
        f"{listener.name}.listener keeps something else of events/domain/{sample.name} when it comes again: its rows "
        f"must follow from the event alone, and their keys name it"
    )

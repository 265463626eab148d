"""Each latch between two versions of a service, taken away, is refused with the way on which edits would come back."""

from typing import Final

import pytest

from andon.cdk.checks.loops import Participant, refuse_loops
from andon.events import fault
from andon.events.topic import Topic
from andon.packages.package import Package
from tests.support.infra.synthesised import SERVICES

LATCHES: Final = [(service.name, topic) for service in SERVICES for topic in sorted(service.latched)]


def participants() -> list[Participant]:
    """Return the services as they join the bus."""
    return [
        Participant(
            service.name,
            subscribes=service.subscriptions,
            publishes=frozenset((service.name, event_type) for event_type in service.types | {fault.TYPE}),
            latched=service.latched,
        )
        for service in SERVICES
    ]


def take_away(monkeypatch: pytest.MonkeyPatch, name: str, topic: Topic) -> str:
    """Subscribe to a topic without its latch; return how the edits would come back."""
    subscriptions = Package("services", name).load("subscriptions")
    # The same decision, but no `Crossing` any more.
    monkeypatch.setattr(subscriptions, "ON", {**subscriptions.ON, topic: subscriptions.ON[topic].__call__})
    return rf"come back to where it was made: {topic[0]} -{topic[1]}-> {name} -\S+-> {topic[0]}\."


def test_with_all_latches_no_edit_comes_back() -> None:
    refuse_loops(participants())


@pytest.mark.parametrize(("name", "topic"), LATCHES, ids=str)
def test_a_latch_that_is_taken_away_is_refused_by_name(
    name: str, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = take_away(monkeypatch, name, topic)

    with pytest.raises(ValueError, match=way):
        refuse_loops(participants())

"""The samples of domain events are read, written, and are of whom they were."""

import pytest

from andon.events.actor import actor_of, with_actor
from andon.events.domain_event import DomainEvent
from andon.testing.samples import paths, sample

SAMPLES = [path.stem for path in paths("domain")]
YOUNGER = ("drift-detected", "person-told", "delivery-failed")
"""Than the tag: each has always had it."""


@pytest.mark.parametrize("path", paths("domain"), ids=lambda path: path.stem)
def test_a_sample_is_written_as_it_was_read(path: object) -> None:
    wire = sample("domain", getattr(path, "stem", ""))

    assert DomainEvent.from_wire(wire).to_wire() == wire


def test_an_event_that_was_stored_without_its_row_still_says_what_a_rule_or_somebody_did() -> None:
    decided, acknowledged = sample("domain", "operator-assigned.by-rule"), sample("domain", "state-acknowledged")
    stored = [DomainEvent.from_wire({**wire, "tags": {}, "raw": None}) for wire in (decided, acknowledged)]

    assert [actor_of(event) for event in stored] == [decided["tags"]["actor"], acknowledged["tags"]["actor"]]


def test_a_fault_of_before_is_of_its_consumer() -> None:
    wire = sample("domain", "fault")
    del wire["tags"]["actor"]

    assert actor_of(DomainEvent.from_wire(wire)) == "state_log.listener"


@pytest.mark.parametrize("name", [name for name in SAMPLES if ".v" not in name and not name.startswith(YOUNGER)])
def test_an_event_of_today_without_its_tag_is_derived_the_actor_that_it_had(name: str) -> None:
    event = DomainEvent.from_wire(sample("domain", name))
    before = event._replace(tags={tag: value for tag, value in event.tags.items() if tag != "actor"})

    assert with_actor(before) == event

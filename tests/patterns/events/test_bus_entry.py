import json

from hypothesis import given

from patterns.events.bus_entry import from_message, to_entry, to_message
from patterns.events.domain_event import DomainEvent
from tests.patterns.events.test_domain_event import events, texts


@given(events, texts)
def test_an_event_comes_out_of_the_queue_as_it_was_put_on_the_bus(event: DomainEvent, source: str) -> None:
    entry = to_entry(event, source=source, bus="bus")
    envelope = {"version": "0", "source": entry["Source"], "detail-type": entry["DetailType"]}

    delivery = from_message(json.dumps({**envelope, "detail": json.loads(entry["Detail"])}))

    assert (delivery.source, delivery.event) == (source, event)


@given(events, texts)
def test_a_message_that_we_write_ourselves_reads_the_same(event: DomainEvent, source: str) -> None:
    delivery = from_message(to_message(event, source=source))

    assert (delivery.source, delivery.event) == (source, event)

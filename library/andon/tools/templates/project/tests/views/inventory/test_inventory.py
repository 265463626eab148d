"""What inventory shows; that it is the same in every order, the laws try."""

from andon.events.domain_event import DomainEvent
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import body_of, sample
from tests.views.inventory.samples import ONE
from views.inventory.view import TTL_DAYS

DAY_MS = 24 * 60 * 60 * 1000
GET = "GET /inventory/{id}"
SAMPLES = [DomainEvent.from_wire(sample("domain", name)) for name in ("thing-moved",)]
EVENTS = [event._replace(partition_key=ONE["id"]) for event in SAMPLES]
LAST_MS = max(event.timestamp_ms for event in EVENTS)


def hear(loop: Loop) -> None:
    loop.listen([body_of(event) for event in EVENTS])


def test_it_shows_what_its_events_say() -> None:
    with Loop() as loop, frozen_clock(LAST_MS):
        unknown = loop.request(GET, path=ONE)
        hear(loop)
        known = loop.request(GET, path=ONE)

    assert (unknown.status, known.status) == (404, 200)
    assert known.body.items() >= {"id": "thing-1", "place": "place-1"}.items()


def test_it_forgets_what_nobody_speaks_of() -> None:
    with Loop() as loop:
        with frozen_clock(LAST_MS):
            hear(loop)
        with frozen_clock(LAST_MS + (TTL_DAYS + 1) * DAY_MS):
            assert loop.request(GET, path=ONE).status == 404

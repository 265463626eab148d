"""Lists of catalogue; that they are the same in every order, the laws try."""

from andon.events.domain_event import DomainEvent
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import body_of, sample
from tests.views.catalogue.samples import ONE
from views.catalogue.view import TTL_DAYS

DAY_MS = 24 * 60 * 60 * 1000
GET = "GET /catalogue/{shelfId}"
SAMPLES = [DomainEvent.from_wire(sample("domain", name)) for name in ("book-moved",)]
LAST_MS = max(event.timestamp_ms for event in SAMPLES)


def of(subject: str) -> list[str]:
    """Return the bodies of the samples, about another one of the same shelf."""
    return [
        body_of(
            event._replace(
                id=f"{event.id} {subject}",
                partition_key=ONE["shelfId"],
                entities={name: {**entity, "id": subject} for name, entity in event.entities.items()},
            )
        )
        for event in SAMPLES
    ]


def listed(loop: Loop) -> list[str]:
    return [one["id"] for one in loop.request(GET, path=ONE).body["items"]]


def test_it_lists_each_of_a_shelf_once() -> None:
    with Loop() as loop, frozen_clock(LAST_MS):
        assert listed(loop) == []
        loop.listen([*of("book-2"), *of("book-1"), *of("book-2")])
        assert listed(loop) == ["book-1", "book-2"]
        assert loop.request(GET, path=ONE).body["items"][0].items() >= {"id": "book-1", "place": "place-1"}.items()


def test_it_forgets_what_nobody_speaks_of() -> None:
    with Loop() as loop:
        with frozen_clock(LAST_MS):
            loop.listen(of("book-1"))
        with frozen_clock(LAST_MS + (TTL_DAYS + 1) * DAY_MS):
            assert listed(loop) == []

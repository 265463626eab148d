# <counted>
"""Each is counted by place as it was said last; that a view is the same in every order, the laws try."""

from andon.events.domain_event import DomainEvent
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import body_of, sample
from views.inventory.view import TTL_DAYS

DAY_MS = 24 * 60 * 60 * 1000
EVENT = DomainEvent.from_wire(sample("domain", "thing-moved"))


def said(subject: str, place: str, number: int) -> str:
    entities = {name: {**entity, "place": place, "id": subject} for name, entity in EVENT.entities.items()}
    at_ms = EVENT.timestamp_ms + number
    event = EVENT._replace(id=f"event {number}", partition_key=subject, timestamp_ms=at_ms, entities=entities)
    return body_of(event)


def counts(loop: Loop, *asked: str) -> list[int]:
    return [loop.request("GET /inventory", query={"place": place}).body["count"] for place in asked]


def test_each_is_counted_once_and_as_it_was_said_last() -> None:
    with Loop() as loop, frozen_clock(EVENT.timestamp_ms):
        loop.listen([said("1", "place-1", 1), said("2", "place-1", 2), said("1", "place-1", 1)])
        assert counts(loop, "place-1", "place-2") == [2, 0]

        loop.listen([said("1", "place-2", 4), said("1", "place-1", 3), said("1", "place-2", 4)])
        assert counts(loop, "place-1", "place-2") == [1, 1]


def test_what_the_view_forgets_is_not_counted() -> None:
    with Loop() as loop:
        with frozen_clock(EVENT.timestamp_ms):
            loop.listen([said("1", "place-1", 1)])
        with frozen_clock(EVENT.timestamp_ms + (TTL_DAYS + 1) * DAY_MS):
            assert counts(loop, "place-1") == [0]


# </counted>

"""What diary shows of a day; that its objects are the same in every order, the laws try."""

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.samples import body_of, sample
from tests.views.diary.samples import GET
from views.diary.view import TTL_DAYS

DAY_MS = 24 * 60 * 60 * 1000
ONE, ANOTHER = "thing-1", "thing-2"
SAMPLES = [DomainEvent.from_wire(sample("domain", name)) for name in ("thing-moved",)]
LAST_MS = max(event.timestamp_ms for event in SAMPLES)
IN_ORDER = sorted(SAMPLES, key=lambda event: event.timestamp_ms)
EVENTS = [event._replace(partition_key=ONE, timestamp_ms=LAST_MS + number) for number, event in enumerate(IN_ORDER)]


def hear(loop: Loop, *events: DomainEvent) -> None:
    loop.listen([body_of(event) for event in events])


def again(event: DomainEvent, *, subject: str = ONE, after_ms: int = 0) -> DomainEvent:
    at_ms = event.timestamp_ms + after_ms
    return event._replace(id=f"{event.id} {subject} {at_ms}", partition_key=subject, timestamp_ms=at_ms)


def day(loop: Loop, *, after_ms: int = 0, tag: str = "") -> Answer:
    return loop.request(GET, path={"date": times.date_of(LAST_MS + after_ms)}, headers={"if-none-match": tag})


def test_a_day_shows_what_its_events_say() -> None:
    with Loop() as loop, frozen_clock(LAST_MS):
        unknown = day(loop)
        hear(loop, *EVENTS)
        known = day(loop)

    assert (unknown.status, unknown.body) == (200, {"items": []})
    assert (known.status, known.body) == (200, {"items": [{"id": "thing-1", "place": "place-1"}]})


def test_who_knows_a_day_gets_304_until_something_else_is_said_on_it() -> None:
    with Loop() as loop, frozen_clock(LAST_MS):
        hear(loop, *EVENTS)
        tag = day(loop).headers["etag"]
        hear(loop, *EVENTS, again(EVENTS[0], after_ms=DAY_MS))
        assert day(loop, tag=tag).status == 304

        hear(loop, again(EVENTS[0], subject=ANOTHER))
        changed = day(loop, tag=tag)

    assert (changed.status, [one["id"] for one in changed.body["items"]]) == (200, [ONE, ANOTHER])


def test_days_are_the_same_in_whatever_order_and_however_often_their_events_come() -> None:
    more = [again(EVENTS[-1], subject=ANOTHER), again(EVENTS[-1], after_ms=1), again(EVENTS[-1], after_ms=DAY_MS)]
    events = [*EVENTS, *more]
    ends = []
    for order in (events, events[::-1], [*more, *events]):
        with Loop() as loop, frozen_clock(LAST_MS + DAY_MS):
            for event in order:
                hear(loop, event)
            ends.append([day(loop, after_ms=after_ms).headers["etag"] for after_ms in (0, DAY_MS)])

    assert ends[1:] == ends[:1] * 2
    assert ends[0][0] != ends[0][1]


def test_it_forgets_a_day() -> None:
    with Loop() as loop:
        with frozen_clock(LAST_MS):
            hear(loop, *EVENTS)
        with frozen_clock(LAST_MS + (TTL_DAYS + 1) * DAY_MS):
            assert day(loop).body == {"items": []}

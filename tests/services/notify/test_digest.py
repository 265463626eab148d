"""Whom a storm of requests tells how often, and that the same requests decide the same messages."""

import random
from collections.abc import Iterator
from typing import Final

import pytest

from andon.events.domain_event import DomainEvent
from andon.outbound import delivery
from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from services.notify import notices
from services.notify.message import SLOT_MS, slot_of
from services.notify.rules import undelivered
from tests.services.notify.factory import NOW, Floor, Spy, channels, request, requests
from tests.services.notify.reached import reach
from tests.support.samples import fact

PERSON: Final = "op-17"
SLOT: Final = slot_of(PERSON, NOW) + SLOT_MS


@pytest.fixture
def floor() -> Iterator[Floor]:
    with Floor() as floor:
        yield floor


def covered(floor: Floor) -> set[str]:
    """Return the machines that a person was told of."""
    told = (event["told"] for event in floor.facts if event["type"] == "person-told")
    return {one["equipmentId"] for each in told for one in each["about"]}


@pytest.mark.parametrize("begins", [SLOT, SLOT + SLOT_MS - 1_000], ids=["in-a-slot", "over-the-end-of-one"])
def test_a_hundred_machines_within_two_seconds_are_one_message(floor: Floor, begins: int) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(begins, 8, hears=requests(100, every_ms=20, at=begins))

    (message,) = mail.sent
    assert message.subject == "100 machines need help"
    (told,) = floor.facts
    assert (told["type"], told["told"]["of"]) == ("person-told", 100)
    assert len(covered(floor)) == 100


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A delivery has room for ten, and a page for fewer than there are."""
    for module in (delivery, undelivered):
        monkeypatch.setattr(module, "MOST_COVERED", 10)
    monkeypatch.setattr(notices, "PAGE", 15)
    monkeypatch.setattr(delivery, "_PAGE", 2)


@pytest.mark.usefixtures("few")
def test_of_more_machines_than_a_delivery_has_room_for_each_is_told_in_one(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(SLOT, 14, hears=requests(75, every_ms=20, at=SLOT))

    assert [one.subject.split()[0] for one in mail.sent] == [*["10"] * 7, "5"]
    assert len(covered(floor)) == 75
    assert sum(one["told"]["of"] for one in floor.facts) == 75, "and in no two"


@pytest.mark.usefixtures("few")
def test_of_more_machines_than_a_delivery_has_room_for_each_is_named_if_nobody_is_reached(floor: Floor) -> None:
    floor.go_on(SLOT, 16, hears=requests(75, every_ms=20, at=SLOT))

    late = [event["failure"] for event in floor.facts if event["failure"]["reason"] == "late"]
    assert len({about["equipmentId"] for one in late for about in one["about"]}) == 75
    assert [one["of"] for one in late] == [*[10] * 7, 5]


@pytest.mark.parametrize("begins", [SLOT, SLOT + 75_000, SLOT + SLOT_MS - 5_000])
def test_two_hours_of_work_in_twenty_minutes_are_few_messages(floor: Floor, begins: int) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(begins, 27, hears=requests(120, every_ms=10_000, at=begins))

    assert 5 <= len(mail.sent) <= 11
    assert len(covered(floor)) == 120, "each in one"
    assert sum(one["told"]["of"] for one in floor.facts) == 120, "and in no two"


def test_who_was_asked_nothing_before_is_told_at_once(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(SLOT, 0.5, hears=[request("press-1", at=SLOT)])
        assert [one.text[:7] for one in mail.sent] == ["press-1"]
        floor.go_on(SLOT + 5 * MINUTE_MS, 0.5, hears=[request("press-2", at=SLOT + 5 * MINUTE_MS)])
        assert [one.text[:7] for one in mail.sent] == ["press-1", "press-2"]


def test_what_comes_after_the_messages_of_its_time_were_sent_is_told_all_the_same(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(SLOT, 5, hears=[request("press-1", at=SLOT)])
        at = SLOT + 6 * MINUTE_MS
        with frozen_clock(at):
            floor.hear([request("press-2", at=SLOT + 1)])
        floor.go_on(at, 1)

    assert [one.subject for one in mail.sent] == ["press-1 needs help", "press-2 needs help"]


def test_what_somebody_has_seen_is_told_nobody(floor: Floor) -> None:
    mail = Spy("mail")
    asked = request("press-1", at=SLOT)
    log = asked.entity("help").get("about")
    with channels(mail):
        reach(PERSON, "mail")
        with frozen_clock(SLOT):
            floor.hear([asked, request("press-2", at=SLOT), fact("state-acknowledged", at=SLOT + 1, **log)])
        floor.go_on(SLOT, 5)

    assert [one.subject for one in mail.sent] == ["press-2 needs help"]


@pytest.mark.parametrize("seed", range(6))
def test_the_same_requests_in_any_order_and_batches_are_the_same_messages(seed: int) -> None:
    """However often each is delivered; also those that come late, and over the ends of slots."""
    chance = random.Random(seed)  # noqa: S311
    people = ["op-17", "op-18"]
    asked = [
        request(f"press-{n}", at=SLOT + chance.randrange(-MINUTE_MS, 2 * SLOT_MS), person=chance.choice(people))
        for n in range(12)
    ]
    arrival = {event.id: SLOT + chance.randrange(3) * SLOT_MS // 2 for event in asked}
    ran = [_run(asked, arrival, random.Random(f"{seed} {n}")) for n in range(2)]  # noqa: S311

    assert ran[0] == ran[1]
    assert ran[0][1] == {event.id for event in asked}, "each is told, and once"


def _run(asked: list[DomainEvent], arrival: dict[str, int], chance: random.Random) -> tuple[list[object], set[str]]:
    mail = Spy("mail")
    with Floor() as floor, channels(mail):
        for person in ("op-17", "op-18"):
            reach(person, "mail")
        for at_ms in sorted(set(arrival.values())):
            with frozen_clock(at_ms):
                events = [event for event in asked if arrival[event.id] == at_ms]
                events += chance.sample(events, k=len(events) // 2)
                chance.shuffle(events)
                floor.hear(events, batch=chance.randint(1, 5))
                floor.run()
            floor.go_on(at_ms, 1.2)
        floor.go_on(max(arrival.values()) + MINUTE_MS, 6)
        rows = [row for row in floor.rows("NOTIFY_TABLE") if row.get("discriminator") == "delivery"]
        covers = [notice for row in rows for notice in row["covers"]]
        assert len(covers) == len(set(covers))
        decided = sorted((one["message"]["id"], one["message"]["person"]) for one in floor.decided)
        return [decided, sorted(one.text for one in mail.sent)], set(covers)

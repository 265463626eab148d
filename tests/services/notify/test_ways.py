"""By which way somebody is told: the next one where one fails, is open, spent or not to be heard; silence is a fact."""

from collections.abc import Iterator
from typing import Final

import pytest

from andon.outbound.delivery import Channel, NotTaken, Outcome, RefusedForGood, Sent, Unknown, Way
from andon.outbound.sender import LOUD_EVERY_MS, Box
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from services.notify.message import SLOT_MS, slot_of
from services.notify.reach import in_quiet_hours
from tests.services.notify.factory import NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach

PERSON: Final = "op-17"
SLOT: Final = slot_of(PERSON, NOW) + SLOT_MS


@pytest.fixture
def floor() -> Iterator[Floor]:
    with Floor() as floor:
        yield floor


def failures(floor: Floor) -> list[tuple[str | None, str]]:
    """Return the channel and the reason of each failed delivery."""
    said = [one["failure"] for one in floor.facts if one["type"] == "delivery-failed"]
    return [(one.get("channel"), one["reason"]) for one in said]


def told_by(floor: Floor) -> list[str]:
    """Return the channels that somebody was told by."""
    return [one["told"]["channel"] for one in floor.facts if one["type"] == "person-told"]


def test_a_channel_that_refuses_is_never_asked_again_and_the_next_one_is(floor: Floor) -> None:
    sms, mail = Spy("sms", RefusedForGood("landline")), Spy("mail")
    with channels(sms, mail):
        reach(PERSON, "sms", "mail")
        floor.go_on(SLOT, 5, hears=[request("press-1", at=SLOT)])

    assert (len(sms.sent), len(mail.sent)) == (1, 1)
    assert failures(floor) == [("sms", "landline")]
    assert told_by(floor) == ["mail"]


def test_who_cannot_be_reached_is_in_a_fact(floor: Floor) -> None:
    floor.go_on(SLOT, 1, hears=[request("press-1", at=SLOT)])

    assert failures(floor) == [(None, "no-channel")]


def test_a_channel_that_this_deployment_lacks_is_passed_over(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "sms", "mail")
        floor.go_on(SLOT, 1, hears=[request("press-1", at=SLOT)])

    assert (failures(floor), told_by(floor)) == ([], ["mail"])


def test_nothing_goes_to_an_address_that_is_not_verified(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail", verified=False)
        floor.go_on(SLOT, 1, hears=[request("press-1", at=SLOT)])

    assert mail.sent == []
    assert failures(floor) == [(None, "no-channel")]


@pytest.mark.parametrize("outcome", [Unknown("timeout"), Unknown("500")])
def test_what_has_no_answer_is_sent_once_more_and_then_by_the_next_channel(floor: Floor, outcome: Outcome) -> None:
    sms, mail = Spy("sms", outcome), Spy("mail")
    with channels(sms, mail):
        reach(PERSON, "sms", "mail")
        floor.go_on(SLOT, 8, hears=[request("press-1", at=SLOT)])

    assert (len(sms.sent), len(mail.sent)) == (2, 1)
    assert failures(floor) == [("sms", "unsure")]


def test_a_defect_of_a_channel_counts_as_a_call_without_an_answer(floor: Floor) -> None:
    class Broken(Spy):
        def send(self, message: object) -> Outcome:
            raise ZeroDivisionError(message)

    broken: Channel = Broken("sms")
    mail = Spy("mail")
    with channels(broken, mail):
        reach(PERSON, "sms", "mail")
        floor.go_on(SLOT, 8, hears=[request("press-1", at=SLOT)])

    assert failures(floor) == [("sms", "unsure")]
    assert told_by(floor) == ["mail"]


def test_a_breaker_opens_the_next_channel_is_used_and_it_closes_by_itself(floor: Floor) -> None:
    people = [f"op-{number}" for number in range(10, 40)]
    sms, mail = Spy("sms", NotTaken("refused")), Spy("mail")
    with channels(sms, mail):
        for person in people:
            reach(person, "sms", "mail")
        asked = [request("press-1", at=SLOT + n * 4_000, person=person) for n, person in enumerate(people)]
        floor.go_on(SLOT, 3, hears=asked)
        assert len(mail.sent) == len(people)
        assert 5 <= len(sms.sent) <= 5 + 2 * 3, "five, and a probe each half a minute"

        sms.answers = [Sent("id")]
        floor.go_on(SLOT + 4 * MINUTE_MS, 1, hears=[request("press-2", at=SLOT + 4 * MINUTE_MS)])
        before = len(sms.sent)
        floor.go_on(
            SLOT + 6 * MINUTE_MS,
            1,
            hears=[request("press-3", at=SLOT + 6 * MINUTE_MS, person=person) for person in people[:3]],
        )
    assert len(sms.sent) - before == 3


def test_one_is_loud_in_two_minutes_and_six_messages_an_hour_are_paid_for(floor: Floor) -> None:
    sms, mail = Spy("sms"), Spy("mail")
    at = [SLOT + n * 5 * MINUTE_MS for n in range(8)]
    with channels(sms, mail):
        reach(PERSON, "sms", "mail")
        for n, at_ms in enumerate(at):
            floor.go_on(at_ms, 0.5, hears=[request(f"press-{n}", at=at_ms)])

    assert told_by(floor) == ["sms"] * 6 + ["mail"] * 2


def test_within_two_minutes_of_a_loud_message_there_is_no_other() -> None:
    box = Box(1, SLOT, {}, ())

    assert [
        box.is_spent(Way("push", "p", is_loud=True), SLOT + ms) for ms in (0, LOUD_EVERY_MS - 1, LOUD_EVERY_MS)
    ] == [
        True,
        True,
        False,
    ]
    assert not box.is_spent(Way("mail", "m"), SLOT)


def test_quiet_hours_change_the_channel_and_never_the_time(floor: Floor) -> None:
    hours = {"from": "22:00", "to": "06:00", "timezone": "America/Mexico_City"}
    sms, mail = Spy("sms"), Spy("mail")
    at = SLOT - 2 * 60 * MINUTE_MS  # 01:00 there
    with channels(sms, mail):
        reach(PERSON, "sms", "mail", quietHours=hours)
        floor.go_on(at, 0.5, hears=[request("press-1", at=at, urgency="low")])
        assert told_by(floor) == ["mail"]
        at += 10 * MINUTE_MS
        floor.go_on(at, 0.5, hears=[request("press-2", at=at, urgency="high")])

    assert told_by(floor) == ["mail", "sms"]


@pytest.mark.parametrize(("time", "is_quiet"), [("21:59", False), ("22:00", True), ("05:59", True), ("06:00", False)])
def test_quiet_hours_may_go_over_midnight(time: str, is_quiet: bool) -> None:  # noqa: FBT001
    hours = {"from": "22:00", "to": "06:00", "timezone": "UTC"}
    assert in_quiet_hours(hours, times.to_ms(f"2026-01-01T{time}:00Z")) is is_quiet


def test_a_message_that_nobody_sends_is_late_and_comes_once_more(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(SLOT, 12, hears=[request("press-1", at=SLOT)], sends=False)
        floor.waiting.clear()  # all are dead letters
        floor.go_on(SLOT + 12 * MINUTE_MS + 5_000, 4)

    assert failures(floor) == [(None, "late")]
    assert [one["message"]["kind"] for one in floor.decided] == ["now", "later", "overdue"]
    assert told_by(floor) == ["mail"]


def test_what_was_told_is_never_late(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(PERSON, "mail")
        floor.go_on(SLOT, 16, hears=[request("press-1", at=SLOT)])

    assert (failures(floor), told_by(floor), len(mail.sent)) == ([], ["mail"], 1)


def test_no_address_stands_in_a_fact_or_in_what_was_told(floor: Floor) -> None:
    sms, mail = Spy("sms", RefusedForGood("landline")), Spy("mail")
    with channels(sms, mail):
        reach(PERSON, "sms", "mail")
        floor.go_on(SLOT, 5, hears=[request("press-1", at=SLOT)])

    said = str([floor.facts, floor.decided, [row for row in floor.rows("NOTIFY_TABLE") if row["sk"] != "contact"]])
    assert mail.sent[0].address == "a@example.com"
    assert sms.sent[0].address == "+523300000000"
    assert "a@example.com" not in said
    assert "+523300000000" not in said


def test_all_steps_of_one_trouble_have_one_key_whoever_is_told_and_several_troubles_have_another(floor: Floor) -> None:
    since = times.to_utc(SLOT)
    press = {"equipmentId": "press-1", "state": "ERROR", "timestamp": since}
    webhook = Spy("webhook")
    with channels(webhook):
        for person in (PERSON, "sv-01"):
            reach(person, "webhook")
        for number, person in enumerate((PERSON, "sv-01", PERSON)):
            at = SLOT + number * 10 * MINUTE_MS
            floor.go_on(at, 5, hears=[request("press-1", at=at, person=person, about=press)])
        at = SLOT + 40 * MINUTE_MS
        more = [request(machine, at=at + number) for number, machine in enumerate(("press-2", "press-3"))]
        floor.go_on(at, 5, hears=more)

    steps, digests = webhook.sent[:3], webhook.sent[3:]
    assert {one.about for one in steps} == {f"About#Log#ERROR#{since}#press-1"}
    assert len({one.id for one in steps}) == 3
    assert [one.about for one in digests] == [one.id for one in digests] != []

"""Codes and tests are sent: by the channel that was named, to the address that there is, and nothing else is."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.outbound.delivery import NotTaken, Outcome, RefusedForGood, Unknown
from andon.outbound.sender import LOUD_EVERY_MS
from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer
from services.notify import contact_code
from services.notify.contact import reach_of
from services.notify.proofs import LIFETIME_MS
from services.notify.tables import partition_of
from tests.services.notify.factory import NOW, Floor, Spy, channels, request

ANA: Final = "op-17"
PHONE: Final = "+5213312345678"
BODY: Final = {"email": "ana@example.com", "phone": PHONE, "language": "es-MX", "order": ["sms", "mail"]}
SOON: Final = 15_000
"""The sender's queue has a delay of ten seconds."""


@pytest.fixture
def floor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Floor]:
    """Somebody with two addresses, neither of them verified; codes are 100001, 100002 …"""
    codes = iter(range(100_001, 100_100))
    monkeypatch.setattr(contact_code, "new_code", lambda: str(next(codes)))
    with Floor() as floor, frozen_clock(NOW):
        assert ask(floor, "PUT /people/{id}/contact", body=BODY).status == 201
        yield floor


def ask(floor: Floor, route: str, *, channel: str = "sms", **parts: Any) -> Answer:  # noqa: ANN401  see Loop
    path = {"id": ANA} | ({"channel": channel} if "{channel}" in route else {})
    return floor.request(route, path=path, groups=["operator"], subject=ANA, **parts)


def post(floor: Floor, kind: str, channel: str = "sms", *, at: int = NOW) -> int:
    """Ask for a code or a test; return the status."""
    with frozen_clock(at):
        return ask(floor, f"POST /people/{{id}}/contact/{{channel}}/{kind}", channel=channel).status


def verify(floor: Floor, code: str, channel: str = "sms", *, at: int = NOW) -> int:
    with frozen_clock(at):
        return ask(floor, "PUT /people/{id}/contact/{channel}/verified", channel=channel, body={"code": code}).status


def go_on(floor: Floor, minutes: float = 0.5, *, at: int = NOW, **parts: Any) -> None:  # noqa: ANN401  see Floor
    floor.go_on(at, minutes, **parts)


def test_a_code_goes_to_the_unverified_address_and_nothing_else_does(floor: Floor) -> None:
    sms, mail = Spy("sms"), Spy("mail")
    with channels(sms, mail):
        assert post(floor, "code") == 202
        go_on(floor, 3, hears=[request("press-1", at=NOW)])

    [message] = sms.sent
    assert (message.address, message.subject, message.link) == (PHONE, "Su código es 100001", None)
    assert mail.sent == []
    assert verify(floor, "100001", at=NOW + 3 * MINUTE_MS) == 204
    assert [one["type"] for one in floor.facts] == ["delivery-failed"], "of the request, which nobody could be told"


def test_a_code_is_sent_within_the_queues_delay_and_behind_what_was_loud(floor: Floor) -> None:
    sms = Spy("sms")
    with channels(sms):
        post(floor, "code")
        go_on(floor, SOON / MINUTE_MS)
        assert verify(floor, "100001", at=NOW + SOON) == 204
        go_on(floor, SOON / MINUTE_MS, at=NOW + SOON, hears=[request("press-1", at=NOW + SOON)])
        loud = len(sms.sent)
        again = NOW + MINUTE_MS
        assert again < NOW + SOON + LOUD_EVERY_MS
        assert post(floor, "code", at=again) == 202
        go_on(floor, SOON / MINUTE_MS, at=again)

    assert loud == 2, "a code holds back nothing that is loud"
    assert sms.sent[-1].subject == "Su código es 100002"


def test_of_two_codes_the_newer_one_is_sent(floor: Floor) -> None:
    sms = Spy("sms", NotTaken("busy"), *[Spy("sms").answers[0]])
    with channels(sms):
        post(floor, "code")
        go_on(floor, 0.5)
        assert post(floor, "code", at=NOW + MINUTE_MS) == 202
        go_on(floor, 5, at=NOW + MINUTE_MS)

    assert [one.subject[-6:] for one in sms.sent] == ["100001", "100002"]


@pytest.mark.parametrize("kind", ["code", "test"])
def test_what_is_asked_for_goes_to_no_other_address_than_it_was_asked_for(floor: Floor, kind: str) -> None:
    sms = Spy("sms")
    with channels(sms):
        verified(floor, sms)
        post(floor, kind, at=NOW + 5 * MINUTE_MS)
        other = BODY | {"phone": "+5213399999999"}
        with frozen_clock(NOW + 5 * MINUTE_MS):
            assert ask(floor, "PUT /people/{id}/contact", body=other, headers={"if-match": '"1"'}).status == 200
        go_on(floor, 1, at=NOW + 5 * MINUTE_MS)

    assert sms.sent == []


def verified(floor: Floor, sms: Spy) -> None:
    """Verify the phone, and forget what was sent."""
    post(floor, "code")
    go_on(floor)
    assert verify(floor, "100001", at=NOW + MINUTE_MS) == 204
    sms.sent.clear()


def test_a_code_that_lives_no_more_is_not_sent(floor: Floor) -> None:
    sms = Spy("sms")
    with channels(sms):
        post(floor, "code")
        go_on(floor, 0.5, sends=False)
        go_on(floor, 1, at=NOW + LIFETIME_MS)

    assert sms.sent == []


def test_a_test_is_for_a_verified_address_by_that_channel_alone(floor: Floor) -> None:
    sms, mail = Spy("sms"), Spy("mail")
    with channels(sms, mail):
        assert (post(floor, "test"), post(floor, "test", "mail"), post(floor, "test", "push")) == (404, 404, 404)
        verified(floor, sms)
        at = NOW + 5 * MINUTE_MS
        assert (post(floor, "test", at=at), post(floor, "test", at=at), post(floor, "test", "mail", at=at)) == (
            202,
            429,
            404,
        )
        go_on(floor, 1, at=at)

    assert [one.subject for one in sms.sent] == ["Esto es una prueba"]
    assert mail.sent == []
    assert set((reach_of(partition_of(ANA)) or {"verified": {}})["verified"]) == {"sms"}


@pytest.mark.parametrize("outcome", [RefusedForGood("landline"), Unknown("timeout")])
def test_a_code_that_does_not_arrive_is_no_trouble_of_the_plant(floor: Floor, outcome: Outcome) -> None:
    sms, mail = Spy("sms", outcome), Spy("mail")
    with channels(sms, mail):
        post(floor, "code")
        go_on(floor, 8)

    assert 1 <= len(sms.sent) <= 2, "never more than twice"
    assert mail.sent == []
    assert floor.facts == [], "no alarm rings, and nobody was told of anything"


def test_codes_cost_no_more_sms_an_hour_than_all_else(floor: Floor) -> None:
    sms = Spy("sms")
    with channels(sms):
        for minute in range(10):
            at = NOW + minute * MINUTE_MS
            assert post(floor, "code", at=at) == 202
            go_on(floor, 0.5, at=at)

    assert len(sms.sent) == 6


def test_no_code_stands_in_an_event_or_in_a_row_that_has_a_stream(floor: Floor) -> None:
    sms = Spy("sms")
    with channels(sms):
        post(floor, "code")
        go_on(floor)

    assert sms.sent, "else this says nothing"
    kept = json.dumps([floor.rows("NOTIFY_TABLE"), floor.decided, floor.facts], default=str)
    assert "100001" not in kept
    assert PHONE not in kept

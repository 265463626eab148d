"""Messages have a link, by which whoever reads them says that they have seen what it is about."""

from collections.abc import Iterator
from typing import Final

import pytest

from andon.outbound.sms import text_of
from andon.outbound.variables import LINK_ORIGIN
from andon.runtime.clock import MINUTE_MS
from contract import links
from services.notify.message import SLOT_MS, slot_of
from tests.services.notify.factory import NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach

ANA: Final = "op-17"
SLOT: Final = slot_of(ANA, NOW) + SLOT_MS
CALL: Final = {"callId": "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57", "equipmentId": "press-1"}


@pytest.fixture
def floor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Floor]:
    """A deployment with links, and somebody who can be reached."""
    monkeypatch.setattr(links, "keys", lambda: (b"k" * 32,))
    monkeypatch.setenv(LINK_ORIGIN, "https://andon.example.com")
    with Floor() as floor:
        yield floor


def linked(channel: Spy, at: int = -1) -> tuple[str, list[str]]:
    """Return whom the link of a message is for, and the machines that it names."""
    link = channel.sent[at].link or ""
    person, logs = links.logs_of(link.partition(links.FRAGMENT)[2], now_ms=SLOT + MINUTE_MS)
    return person, [log["equipmentId"] for log in logs]


def test_a_message_has_a_link_to_what_it_covers_for_who_is_told(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(ANA, "mail")
        floor.go_on(SLOT, 0.5, hears=[request(f"press-{n}", at=SLOT) for n in range(3)])

    assert linked(mail) == (ANA, ["press-0", "press-1", "press-2"])


def test_an_sms_has_a_link_to_what_fits_into_it(floor: Floor) -> None:
    sms = Spy("sms")
    with channels(sms):
        reach(ANA, "sms")
        floor.go_on(SLOT, 0.5, hears=[request(f"press-{n}", at=SLOT) for n in range(20)])

    person, machines = linked(sms)
    assert person == ANA
    assert machines == ["press-0", "press-1", "press-10"][: len(machines)] != []
    assert text_of(sms.sent[0], most_parts=3).text.endswith(str(sms.sent[0].link))


def test_a_call_is_taken_on_the_page(floor: Floor) -> None:
    mail = Spy("mail")
    with channels(mail):
        reach(ANA, "mail")
        floor.go_on(SLOT, 0.5, hears=[request("press-1", at=SLOT, about=CALL)])

    assert mail.sent[0].link == "https://andon.example.com/"


def test_where_there_is_no_page_messages_have_no_link(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LINK_ORIGIN)
    mail = Spy("mail")
    with channels(mail):
        reach(ANA, "mail")
        floor.go_on(SLOT, 0.5, hears=[request("press-1", at=SLOT)])

    assert [one.link for one in mail.sent] == [None]

from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeApi, refused
from tests.pages.board.conftest import Opened

FAULT = {
    "id": "f1",
    "timestamp": factory.minutes_ago(30),
    "consumer": "board-listener",
    "error": {"name": "Poison", "message": "equipment.id is missing"},
}


def test_an_admin_reads_a_fault_and_puts_it_back(opened: Opened, known: FakeApi) -> None:
    known.bodies |= {"/faults": {"items": [FAULT]}, "/faults/f1": {**FAULT, "message": '{"odd": true}'}}
    page = opened(role="admin").page

    page.get_by_role("link", name="Faults").click()
    expect(page.get_by_text("Poison: equipment.id is missing")).to_be_visible()
    page.get_by_text("Show the message").click()
    expect(page.get_by_text('{"odd": true}')).to_be_visible()
    page.get_by_role("button", name="Resubmit").click()

    expect(page.get_by_text("The message is back on the queue of board.")).to_be_visible()
    expect(page.get_by_text("Resubmitted", exact=False).first).to_be_visible()
    assert known.written == [("POST", "/faults/f1/resubmit", None, None)]


def test_a_refused_resubmission_is_said(opened: Opened, known: FakeApi) -> None:
    known.bodies["/faults"] = {"items": [FAULT]}
    known.rules["POST", "/resubmit"] = lambda _body: refused(409, "There is no board any more.")
    page = opened("#/faults", role="admin").page

    page.get_by_role("button", name="Resubmit").click()

    expect(page.get_by_role("alert").filter(has_text="There is no board any more.")).to_be_visible()


def test_others_are_not_shown_the_way(opened: Opened, known: FakeApi) -> None:
    known.rules["GET", "/faults"] = lambda _body: refused(403, "no")
    page = opened("#/faults", role="supervisor").page

    expect(page.get_by_text("This is for another role, or for another place than yours.")).to_be_visible()
    expect(page.get_by_role("link", name="Faults")).to_have_count(0)

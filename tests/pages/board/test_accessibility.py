"""No violation that axe-core finds, on any page and in any dialog: https://github.com/dequelabs/axe-core"""

import pytest
from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeApi, contact_path
from demo.board.pictures import PHONE, WALL
from tests.pages.board.conftest import BOARD, Opened
from tests.pages.board.test_faults import FAULT
from tests.support.axe import violations

PLACES = {
    BOARD: "Help needed",
    "#/board/Acme/Guadalajara/none": "No equipment is registered here.",
    "#/equipment/conveyor-b": "belt slips",
    "#/agenda/Acme/Guadalajara": "belt-change",
    "#/duty/Acme/Guadalajara": "Nobody is on duty",
    "#/me": "You are told here",
    "#/faults": "Poison",
    "#/": "Which board?",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_page_has_no_violation_on_a_wall_or_a_phone(opened: Opened, known: FakeApi, place: str) -> None:
    known.bodies |= {"/faults": {"items": [FAULT]}, factory.ROSTER_PATH: factory.DUTY}
    known.bodies[contact_path("admin")] = factory.CONTACT
    screen = opened(place, role="admin", size=WALL)
    expect(screen.page.get_by_text(PLACES[place]).first).to_be_visible()
    on_a_wall = violations(screen.page)
    screen.page.set_viewport_size(PHONE)

    assert (on_a_wall, violations(screen.page)) == ([], [])


@pytest.mark.parametrize("name", ["Seen", "Assign", "Escalate"])
def test_a_dialog_has_no_violation(opened: Opened, name: str) -> None:
    screen = opened()
    screen.page.locator(".card", has_text="Conveyor B").get_by_role("button", name=name).click()
    expect(screen.page.get_by_role("dialog")).to_be_visible()

    assert violations(screen.page) == []


def test_the_dialogs_of_maintenance_have_no_violation(opened: Opened) -> None:
    screen = opened("#/equipment/trimmer-2")
    for name in ("Finish: lubrication", "Plan maintenance"):
        screen.page.get_by_role("button", name=name).click()
        expect(screen.page.get_by_role("dialog")).to_be_visible()

        assert violations(screen.page) == []

        screen.page.keyboard.press("Escape")


def test_the_way_in_has_no_violation(opened: Opened) -> None:
    screen = opened(role=None)
    expect(screen.page.get_by_role("heading", name="Sign in to see the board")).to_be_visible()

    assert violations(screen.page) == []


def test_a_lost_connection_has_no_violation(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    known.is_reachable, known.broker.refuses = False, True
    known.broker.kill()
    screen.eventually(lambda: screen.connection() == "lost", within_ms=60_000)

    assert violations(screen.page) == []

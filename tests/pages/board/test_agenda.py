from playwright.sync_api import expect

from demo.board.fake_api import FakeApi, refused
from demo.board.pictures import PHONE
from tests.pages.board.conftest import Opened

AGENDA = "#/agenda/Acme/Guadalajara"

# What each day's column says: its date, and of each order the kind, the machine's name, what and how.
DAYS = """() => Object.fromEntries([...document.querySelectorAll(".day")].map((day) => [day.dataset.key,
  [...day.querySelectorAll(".order")].map((order) => [order.dataset.kind, order.querySelector("a").innerText])]))"""


def test_the_board_leads_to_the_agenda_of_its_factory_and_from_an_order_to_its_machine(
    opened: Opened, known: FakeApi
) -> None:
    screen = opened()
    page = screen.page

    page.get_by_role("link", name="Agenda").press("Enter")
    expect(page.get_by_role("link", name="Conveyor B belt-change planned, 90 min")).to_be_visible()

    assert known.asked.count("GET /factories/Guadalajara/agenda") == 3, "every page of the week"
    assert page.evaluate(DAYS) == {
        "2026-11-16": [["done", "Press 1\ninspection\ndone"], ["partly", "Mill 1\ntool-change\npartly done"]],
        "2026-11-17": [],
        "2026-11-18": [["skipped", "Oven 2\ninspection\nskipped"]],
        "2026-11-19": [["overdue", "Washer 1\nfilter-change\noverdue"]],
        "2026-11-20": [],
        "2026-11-21": [
            ["maintenance", "Trimmer 2\nlubrication\nunder way since 18:09"],
            ["planned", "Packer 1\ninspection\nplanned, 20 min"],
        ],
        "2026-11-22": [["planned", "Conveyor B\nbelt-change\nplanned, 90 min"]],
    }
    expect(page.locator(".day[aria-current=date]")).to_contain_text("21 Nov today")
    page.get_by_role("link", name="Conveyor B").press("Enter")
    expect(page.get_by_role("heading", name="Conveyor B")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Back to the board").click()
    screen.eventually(screen.is_right)


def test_other_weeks_are_a_link_away_and_a_new_order_appears_by_itself(opened: Opened, known: FakeApi) -> None:
    screen = opened(AGENDA, size=PHONE)
    page = screen.page

    page.get_by_role("link", name="Week after").click()
    expect(page.get_by_role("link", name="Robot 2")).to_be_visible()
    expect(page.locator(".day[aria-current=date]")).to_have_count(0)
    page.get_by_role("link", name="This week").click()
    expect(page.get_by_role("link", name="Packer 1")).to_be_visible()
    known.orders = [one for one in known.orders if one["equipmentId"] != "packer-1"]

    screen.eventually(lambda: page.get_by_role("link", name="Packer 1").count() == 0, within_ms=60_000)


def test_an_agenda_that_cannot_be_read_says_so(opened: Opened, known: FakeApi) -> None:
    known.rules["GET", "/agenda"] = lambda _body: refused(403, "no")

    page = opened(AGENDA).page

    expect(page.get_by_text("This is for another role, or for another place than yours.")).to_be_visible()

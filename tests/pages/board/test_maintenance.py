"""Maintenance on a machine's page and in the agenda: each request as the API wants it, each refusal said."""

from playwright.sync_api import expect

from demo.board.fake_api import FakeApi, refused
from demo.board.pictures import PHONE
from tests.pages.board.conftest import Opened

AGENDA = "#/agenda/Acme/Guadalajara"
ORDER = "/equipment/washer-1/maintenance/2026-11-19/filter-change"

# What each day's column says: its date, and of each order the kind, the machine's name, what and how.
DAYS = """() => Object.fromEntries([...document.querySelectorAll(".day")].map((day) => [day.dataset.key,
  [...day.querySelectorAll(".order")].map((order) => [order.dataset.kind, order.querySelector("a").innerText])]))"""


def test_an_operator_starts_an_overdue_order_and_finishes_it(opened: Opened, known: FakeApi) -> None:
    page = opened("#/equipment/washer-1", role="operator").page
    orders, dialog = page.locator(".orders .order"), page.get_by_role("dialog")
    expect(page.locator(".standing")).to_contain_text("OVERDUE")
    expect(orders).to_have_text(["filter-changeoverdue, planned for Thu 19 NovStartSkip"])
    known.rules["POST", "/start"] = lambda _body: refused(409, "It is finished.")

    page.get_by_role("button", name="Start: filter-change").click()
    dialog.get_by_role("button", name="Start now").click()
    expect(dialog.get_by_role("alert")).to_contain_text("It is finished.")
    known.rules.clear()
    dialog.get_by_role("button", name="Start now").click()

    expect(orders).to_contain_text("overdue: under way since 18:34, planned for Thu 19 Nov")
    page.get_by_role("button", name="Finish: filter-change").click()
    dialog.get_by_label("partly done").check()
    dialog.get_by_role("button", name="Finish").click()
    expect(page.get_by_text("Finished: filter-change.")).to_be_visible()
    expect(orders).to_have_count(0)
    expect(page.get_by_role("button", name="Plan maintenance")).to_be_hidden()
    start = ("POST", f"{ORDER}/start", None, None)
    assert known.written == [start, start, ("POST", f"{ORDER}/finish", {"result": "partly"}, None)]


def test_an_order_that_the_board_does_not_show_is_started_too(opened: Opened, known: FakeApi) -> None:
    known.orders = [{**one, "kind": kind} for one in known.orders[-1:] for kind in ("calibration", "greasing")]
    known.orders[0]["plannedFor"] = "2026-11-20"
    page = opened("#/equipment/robot-2", role="operator").page
    orders = page.locator(".orders .order .order-text")
    expect(orders).to_have_text(["calibrationoverdue, planned for Fri 20 Nov", "greasingplanned for Tue 24 Nov"])

    page.get_by_role("button", name="Start: greasing").click()
    page.get_by_role("dialog").get_by_role("button", name="Start now").click()

    expect(orders).to_have_count(2)
    expect(orders.filter(has_text="greasing")).to_contain_text("under way since 18:34")
    assert known.written == [("POST", "/equipment/robot-2/maintenance/2026-11-24/greasing/start", None, None)]


def test_orders_that_cannot_be_read_are_those_of_the_board_and_that_is_said(opened: Opened, known: FakeApi) -> None:
    known.rules["GET", "/maintenance"] = lambda _body: refused(403, "no")

    page = opened("#/equipment/washer-1").page

    expect(page.get_by_text("This is for another role, or for another place than yours.")).to_be_visible()
    expect(page.locator(".orders .order")).to_have_count(1)


def test_a_supervisor_skips_an_order_and_plans_another(opened: Opened, known: FakeApi) -> None:
    page = opened("#/equipment/washer-1").page
    dialog = page.get_by_role("dialog")

    page.get_by_role("button", name="Skip: filter-change").click()
    dialog.get_by_role("button", name="Skip it").click()
    expect(page.get_by_text("Skipped: filter-change.")).to_be_visible()
    page.get_by_role("button", name="Plan maintenance").click()
    dialog.get_by_label("Day").fill("2026-12-01")
    dialog.get_by_label("Kind").fill("7th check")
    dialog.get_by_role("button", name="Plan").click()
    expect(dialog.get_by_role("alert")).to_contain_text("a letter first")
    dialog.get_by_label("Kind").fill("Oil change")
    dialog.get_by_label("Minutes").fill("45")
    known.rules["PUT", "/oil-change"] = lambda _body: refused(428, "no version")
    dialog.get_by_role("button", name="Plan").click()
    expect(dialog.get_by_role("alert")).to_have_text("It is planned already, otherwise than you say.")
    known.rules.clear()
    dialog.get_by_role("button", name="Plan").click()

    expect(page.get_by_text("Planned: oil-change on Tue 1 Dec.")).to_be_visible()
    plan = ("PUT", "/equipment/washer-1/maintenance/2026-12-01/oil-change", {"minutes": 45}, None)
    assert known.written == [("POST", f"{ORDER}/finish", {"result": "skipped"}, None), plan, plan]


def test_who_only_reads_is_offered_nothing(opened: Opened) -> None:
    page = opened("#/equipment/trimmer-2", role="auditor").page

    expect(page.locator(".standing")).to_contain_text("IN MAINTENANCE25 minlubrication since 18:09")
    expect(page.locator(".order")).to_contain_text("under way since 18:09, planned for Sat 21 Nov")
    expect(page.locator("main").get_by_role("button")).to_have_count(0)


def test_the_board_leads_to_the_agenda_of_its_factory_and_from_an_order_to_its_machine(
    opened: Opened, known: FakeApi
) -> None:
    screen = opened()
    page = screen.page

    page.get_by_role("link", name="Agenda").press("Enter")
    expect(page.get_by_role("link", name="Conveyor B belt-change planned, 90 min")).to_be_visible()

    asked = [one for one in known.asked if "/agenda/" in one]
    assert sorted(asked) == [f"GET /factories/Guadalajara/agenda/2026-11-{day}" for day in range(16, 23)]
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
    known.unchanged.clear()
    known.orders = [one for one in known.orders if one["equipmentId"] != "packer-1"]

    screen.eventually(lambda: page.get_by_role("link", name="Packer 1").count() == 0, within_ms=60_000)
    week = [f"/factories/Guadalajara/agenda/2026-11-{day}" for day in range(16, 23)]
    assert {*week} - {*known.unchanged} == {"/factories/Guadalajara/agenda/2026-11-21"}


def test_an_agenda_that_cannot_be_read_says_so(opened: Opened, known: FakeApi) -> None:
    known.rules["GET", "/agenda/2026-11-20"] = lambda _body: refused(403, "no")

    page = opened(AGENDA).page

    expect(page.get_by_text("This is for another role, or for another place than yours.")).to_be_visible()

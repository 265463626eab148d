"""Maintenance on a machine's page: each request as the API wants it, and each refusal said."""

from playwright.sync_api import expect

from demo.board.fake_api import FakeApi, refused
from tests.pages.board.conftest import Opened

ORDER = "/equipment/washer-1/maintenance/2026-11-19/filter-change"


def test_an_operator_starts_an_overdue_order_and_finishes_it(opened: Opened, known: FakeApi) -> None:
    page = opened("#/equipment/washer-1", role="operator").page
    orders, dialog = page.locator(".orders .order"), page.get_by_role("dialog")
    expect(page.locator(".standing")).to_contain_text("OVERDUE")
    expect(orders).to_have_text(["filter-changeoverdue, planned for Thu 19 NovStartSkip"])
    known.rules["POST", "/start"] = lambda _body: refused(409, "It is finished.")

    page.get_by_role("button", name="Start: filter-change").click()
    dialog.get_by_role("button", name="Start now").click()
    expect(dialog.get_by_role("alert")).to_have_text("It is finished.")
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

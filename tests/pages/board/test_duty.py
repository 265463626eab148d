"""The page "Duty": who is there now and next, where nobody is, and somebody who takes over with three taps."""

from typing import Final

import pytest
from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeAnswer, FakeApi, refused
from demo.board.pictures import PHONE
from demo.people import EVA, OMAR
from tests.pages.board.conftest import Opened
from tests.support.axe import violations

DUTY: Final = "#/duty/Acme/Guadalajara"
TOUCHED_PX: Final = 56

# Each row of the next seven days: whether nobody is there, when, and who.
SPANS: Final = """() => [...document.querySelectorAll(".spans li")].map((row) => [
  row.hasAttribute("data-gap"), row.querySelector(".when").textContent, row.querySelector("strong").textContent])"""
HEIGHTS: Final = """() => [...document.querySelectorAll("main button, .call-tile")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height)"""
UNCHANGED: Final = {name: value for name, value in factory.DUTY.items() if name not in {"factoryId", "overrides"}}


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """The factory has shifts, and gaps."""
    known.bodies[factory.ROSTER_PATH] = factory.DUTY
    return known


def test_a_phone_shows_who_is_there_by_the_clock_of_the_factory_and_gaps_in_red(opened: Opened) -> None:
    screen = opened(DUTY, size=PHONE)
    page = screen.page

    expect(page.locator(".duty-role strong")).to_have_text(["Eva", "Luis", "Olga"])
    expect(page.get_by_text("Nobody is on duty 2 times in the next seven days.")).to_be_visible()
    expect(page.get_by_text("Times are of the clock in America/Mexico_City.")).to_be_visible()
    expect(page.locator(".taken")).to_contain_text("Supervisor Luis, until 14:00")
    assert page.evaluate(SPANS)[:4] == [
        [False, "until 14:00", "Eva, Luis"],
        [True, "14:00 \u2013 Sun 22 Nov 22:00", "Nobody"],
        [False, "Sun 22 Nov 22:00 \u2013 06:00", "Omar, Luis"],
        [False, "Mon 23 Nov 06:00 \u2013 14:00", "Eva, Rosa"],
    ]
    assert not screen.scrolls_sideways()
    assert min(page.evaluate(HEIGHTS)) >= TOUCHED_PX


def test_with_three_taps_somebody_else_has_the_role(opened: Opened, known: FakeApi) -> None:
    page = opened(DUTY, size=PHONE).page
    tiles = page.get_by_role("dialog").locator(".call-tile")

    page.get_by_role("button", name="Somebody else: Supervisor").click()
    expect(tiles.filter(has_text="Luis")).to_have_count(1)  # not also by the subject beside the badge
    assert violations(page) == []
    tiles.filter(has_text="Omar").click()
    expect(tiles).to_have_text(["14:00, when this ends", "for 4 hours", "for 8 hours", "for a day"])
    assert min(page.evaluate(HEIGHTS)) >= TOUCHED_PX
    assert violations(page) == []
    tiles.filter(has_text="4 hours").click()

    expect(page.get_by_text("Supervisor: Omar, until 16:34.")).to_be_visible()
    expect(page.locator(".duty-role strong")).to_have_text(["Eva", "Omar", "Olga"])
    [(method, path, body, etag)] = known.written
    taken = {"from": "2026-11-21T12:34", "to": "2026-11-21T16:34", "role": "supervisor", "person": OMAR}
    assert (method, path, body) == ("PUT", factory.ROSTER_PATH, UNCHANGED | {"overrides": [taken]})
    assert etag is not None, "the version that was seen"


def test_whoever_is_slower_is_told_so_and_replaces_nothing_unseen(opened: Opened, known: FakeApi) -> None:
    answers = iter([refused(412, "It has been changed since."), FakeAnswer(200, {})])
    known.rules["PUT", "/roster"] = lambda _body: next(answers)
    page = opened(DUTY, size=PHONE).page
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name="Somebody else: Operators").click()
    dialog.get_by_role("button", name="Omar").click()
    known.bodies[factory.ROSTER_PATH] = factory.DUTY | {"overrides": [], "supervisor": EVA}
    dialog.get_by_role("button", name="for a day").click()
    expect(dialog.get_by_role("alert")).to_have_text("Somebody has changed the roster meanwhile. Press again.")

    dialog.get_by_role("button", name="for a day").click()

    expect(dialog).to_be_hidden()
    first, again = [body for _, _, body, _ in known.written]
    assert (first["supervisor"], again["supervisor"]) == (factory.DUTY["supervisor"], EVA)


def test_what_was_taken_over_is_ended_with_one_tap(opened: Opened, known: FakeApi) -> None:
    page = opened(DUTY, size=PHONE).page

    page.get_by_role("button", name="End it: Supervisor, Luis").click()

    expect(page.locator(".taken")).to_have_count(0)
    expect(page.locator(".duty-role strong")).to_have_text(["Eva", "Rosa", "Olga"])
    assert [body for _, _, body, _ in known.written] == [UNCHANGED]


def test_lines_with_shifts_of_their_own_stand_for_themselves(opened: Opened, known: FakeApi) -> None:
    own = {"name": "weekend", "days": ["sat"], "from": "06:00", "to": "18:00", "operators": [OMAR], "lines": ["Line 3"]}
    known.bodies[factory.ROSTER_PATH] = factory.DUTY | {"shifts": [*factory.DUTY["shifts"], own]}

    page = opened(DUTY).page

    first = page.locator(".duty-role").first
    expect(first.locator(".on-duty")).to_have_text(["All other linesEva", "Line 3Omar"])
    expect(page.locator(".duty h3", has_text="Line 3")).to_have_count(1)


@pytest.mark.parametrize(("role", "reads_only"), [("operator", False), ("supervisor", True)])
def test_who_keeps_no_roster_only_reads_it(opened: Opened, role: str, *, reads_only: bool) -> None:
    page = opened(DUTY, role=role, reads_only=reads_only).page

    expect(page.locator(".duty-role strong")).to_have_text(["Eva", "Luis", "Olga"])
    expect(page.locator("main").get_by_role("button")).to_have_count(0)


def test_a_factory_without_shifts_always_has_the_same_people_and_one_without_a_roster_says_so(
    opened: Opened, known: FakeApi
) -> None:
    known.bodies[factory.ROSTER_PATH] = factory.ROSTER
    expect(opened(DUTY).page.get_by_text("The same people, all the time.")).to_be_visible()
    del known.bodies[factory.ROSTER_PATH]

    page = opened(DUTY).page

    expect(page.get_by_text("This factory has no roster yet.")).to_be_visible()


def test_the_board_leads_there_and_the_first_paint_does_not_wait_for_it(opened: Opened) -> None:
    screen = opened()
    screen.until_live()
    loaded = "() => performance.getEntriesByType('resource').map((one) => one.name.split('/').at(-1))"
    assert {"duty.js", "duty.css", "me.js"}.isdisjoint(screen.page.evaluate(loaded))

    screen.page.get_by_role("link", name="Duty").click()

    expect(screen.page.get_by_role("heading", name="On duty now")).to_be_visible()
    screen.page.get_by_role("link", name="Back to the board").click()
    screen.eventually(screen.is_right)

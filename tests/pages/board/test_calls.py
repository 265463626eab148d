"""Calls on the page: cards of those that are open, who comes, the cause at the end; and a call with two taps."""

from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from demo.board import factory
from demo.board.fake_api import FakeAnswer, FakeApi, refused
from demo.board.pictures import PHONE
from tests.pages.board.conftest import Opened
from tests.support.axe import violations
from tests.support.pages import Screen

PRESS: Final = "#/equipment/press-1"
FIRST: Final = "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57"


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Two machines call: for material, and, later but more urgently, for safety."""
    for machine, calls in factory.calls().items():
        known.items[machine]["calls"] = calls
    return known


def cards(screen: Screen) -> Locator:
    return screen.page.locator(".card.call")


def closing(screen: Screen) -> Locator:
    screen.page.get_by_role("button", name="Close: Material, Press 1").click()
    return screen.page.get_by_role("dialog")


def test_open_calls_are_cards_the_most_urgent_first(opened: Opened) -> None:
    screen = opened()

    expect(cards(screen)).to_have_count(2)
    expect(cards(screen).first).to_contain_text("Safety")
    expect(cards(screen).first).to_contain_text("Luis comes")
    expect(cards(screen).last).to_contain_text("Press 1")
    expect(cards(screen).last).to_contain_text("12 min")
    expect(cards(screen).last).to_contain_text("nobody comes yet")


def test_whoever_comes_names_the_version_that_they_saw(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.page.get_by_role("button", name="I come: Material, Press 1").click()

    expect(screen.page.get_by_text("You come to Press 1.")).to_be_visible()
    assert known.written == [("PUT", f"/calls/{FIRST}/taker", None, '"1"')]


def test_who_was_faster_is_no_error(opened: Opened, known: FakeApi) -> None:
    known.rules["PUT", "/taker"] = lambda _body: refused(412, "It has been changed since.")
    screen = opened()
    screen.page.get_by_role("button", name="I come: Material, Press 1").click()

    expect(screen.page.get_by_text("Somebody was faster.")).to_be_visible()


def test_a_call_is_closed_with_a_cause_of_its_category_and_line(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    dialog = closing(screen)
    expect(dialog.get_by_role("radio")).to_have_count(1)
    dialog.get_by_role("button", name="Close the call").click()
    assert known.written == [], "this category needs a cause"

    dialog.get_by_label("Out of coils").check()
    dialog.get_by_label("Note, if any").fill("Two pallets came.")
    dialog.get_by_role("button", name="Close the call").click()

    expect(dialog).to_be_hidden()
    said = {"cause": "out-of-coils", "note": "Two pallets came."}
    assert known.written == [("PUT", f"/calls/{FIRST}/closure", said, '"1"')]


def test_what_was_changed_meanwhile_is_closed_by_pressing_again(opened: Opened, known: FakeApi) -> None:
    answers = iter([refused(412, "It has been changed since."), FakeAnswer(200, {})])
    known.rules["PUT", "/closure"] = lambda _body: next(answers)
    known.rules["GET", FIRST] = lambda _body: FakeAnswer(200, {}, etag="2")
    screen = opened()
    dialog = closing(screen)
    dialog.get_by_label("Out of coils").check()
    dialog.get_by_role("button", name="Close the call").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Somebody has changed it meanwhile.")

    dialog.get_by_role("button", name="Close the call").click()

    expect(dialog).to_be_hidden()
    assert [etag for _, _, _, etag in known.written] == ['"1"', '"2"']


def test_two_taps_call_and_one_takes_it_back(opened: Opened, known: FakeApi) -> None:
    screen = opened(PRESS, role="operator", size=PHONE)
    screen.page.get_by_role("button", name="Call for help").click()
    tiles = screen.page.get_by_role("dialog").locator(".call-tile")
    expect(tiles).to_have_text(["Safety", "Odd part"])  # for material one is open
    boxes = [tile.bounding_box() for tile in tiles.all()]
    assert min(box["height"] for box in boxes if box) >= 56
    assert violations(screen.page) == []

    tiles.first.click()
    screen.page.get_by_role("button", name="Undo").click()

    expect(screen.page.get_by_text("Taken back: Safety.")).to_be_visible()
    raised, undone = known.written
    assert raised[2:] == ({"equipmentId": "press-1", "category": "safety"}, None)
    assert undone == ("PUT", f"{raised[1]}/rejection", {"reason": "Called by mistake."}, '"1"')


def test_on_a_phone_the_board_calls_at_the_bottom_from_where_one_was_last(opened: Opened, known: FakeApi) -> None:
    screen = opened(role="operator", size=PHONE)
    button = screen.page.get_by_role("button", name="Call for help")
    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 56
    assert box["width"] > 0.9 * PHONE["width"]
    assert 0.8 * PHONE["height"] < box["y"] <= PHONE["height"] - box["height"]

    button.click()
    tiles = screen.page.get_by_role("dialog").locator(".call-tile")
    expect(screen.page.get_by_label("Where?")).to_have_value("")
    assert tiles.count() == 0, "a machine that nobody chose is none"
    screen.page.get_by_label("Where?").select_option("Mill 1")
    expect(tiles).to_have_text(["Safety", "Material", "Odd part"])
    assert violations(screen.page) == []
    tiles.first.click()
    expect(screen.page.get_by_text("Called: Safety, Mill 1.")).to_be_visible()
    button.click()
    tiles.last.click()

    expect(screen.page.get_by_text("Called: Odd part, Mill 1.")).to_be_visible()
    said = [body for _, _, body, _ in known.written]
    assert said == [{"equipmentId": "mill-1", "category": category} for category in ("safety", "quality")]


def test_a_category_has_the_icon_of_its_catalog(opened: Opened) -> None:
    screen = opened()

    expect(cards(screen).first.locator("[data-icon=shield]")).to_be_visible()
    expect(cards(screen).last.locator("[data-icon=box]")).to_be_visible()


def test_a_new_call_is_said_to_who_listens_to_the_page(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    expect(cards(screen)).to_have_count(2)
    heard = screen.page.locator("[aria-live=polite].hidden")
    assert heard.text_content() == "", "not at the first sight"

    known.put(known.items["mill-1"] | {"version": 2, "calls": [factory.call(FIRST[:-1] + "8", "quality", 3, 0)]})

    expect(heard).to_have_text("Mill 1 calls for help: Odd part")


def test_a_call_that_was_sent_again_is_the_same_call(opened: Opened, known: FakeApi) -> None:
    answers = iter([refused(503, "Try again."), FakeAnswer(200, {}, etag="1")])
    known.rules["PUT", ""] = lambda _body: next(answers)
    screen = opened(PRESS, role="operator", size=PHONE)
    screen.page.get_by_role("button", name="Call for help").click()
    dialog = screen.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Safety").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Try again.")

    dialog.get_by_role("button", name="Safety").click()

    expect(screen.page.get_by_text("Called: Safety, Press 1.")).to_be_visible()
    first, again = known.written
    assert first == again
    screen.troubles[:] = [trouble for trouble in screen.troubles if "status of 503" not in trouble]


@pytest.mark.parametrize(("role", "reads_only"), [("auditor", False), ("operator", True)])
def test_who_may_not_call_sees_the_cards_alone(opened: Opened, role: str, *, reads_only: bool) -> None:
    screen = opened(PRESS, role=role, reads_only=reads_only)

    expect(cards(screen)).to_have_count(1)
    assert cards(screen).get_by_role("button").count() == 0
    expect(screen.page.get_by_role("button", name="Call for help")).to_have_count(0)

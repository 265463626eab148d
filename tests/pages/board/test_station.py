"""The page of a station: its machine, what is called for there, a call with two taps; nothing that is refused."""

import json
from typing import Final

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from contract.groups import READERS
from demo.board import factory
from demo.board.fake_api import PAGE, FakeAnswer, FakeApi, refused
from demo.board.pictures import PHONE
from tests.pages.board.conftest import BOARD, Opened
from tests.support.axe import violations
from tests.support.pages import Screen

STATION: Final = "press-1"
STANDING: Final = f"/equipment/{STATION}/board"
CATALOG: Final = f"/factories/{factory.FACTORY}/catalog"
TABLET: Final[ViewportSize] = {"width": 1024, "height": 768}
RAISED: Final = "0b9e6d1c-52f7-4a3e-9c48-61d07e8fa2b4"


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Press 1 has called for material."""
    known.items[STATION]["calls"] = factory.calls()[STATION]
    return known


@pytest.fixture
def station(opened: Opened) -> Screen:
    return opened(role="station", name=STATION, size=PHONE)


def calls(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Called for").get_by_role("listitem")


@pytest.mark.parametrize("place", [BOARD, "#/", "#/me", "#/equipment/oven-1"])
def test_a_station_sees_its_machine_wherever_it_goes_and_asks_for_nothing_that_is_refused(
    opened: Opened, known: FakeApi, place: str
) -> None:
    screen = opened(place, role="station", name=STATION, size=PHONE)
    page = screen.page

    expect(page.get_by_role("heading", name="Press 1")).to_be_visible()
    expect(page.locator(".standing")).to_contain_text("NORMAL")
    expect(calls(screen)).to_have_text(["Materialnobody comes yet12 min"])
    assert page.locator("header a").count() == 0
    assert not screen.scrolls_sideways()
    assert violations(page) == []
    assert {*known.asked} == {f"GET {STANDING}", f"GET {CATALOG}"}


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_one_button_has_the_bottom_of_the_screen(opened: Opened, size: ViewportSize) -> None:
    button = opened(role="station", name=STATION, size=size).page.get_by_role("button", name="Call for help")
    expect(button).to_be_visible()

    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 56
    assert box["width"] > 0.9 * size["width"]
    assert 0.8 * size["height"] < box["y"] <= size["height"] - box["height"]


def test_two_taps_call_and_the_call_is_there_before_the_board_knows_it(station: Screen, known: FakeApi) -> None:
    call = factory.call(RAISED, "safety", 1, 0)
    known.rules["PUT", ""] = lambda _body: FakeAnswer(201, call, etag="1")
    station.page.get_by_role("button", name="Call for help").click()
    tiles = station.page.get_by_role("dialog").locator(".call-tile")
    expect(tiles).to_have_text(["Safety", "Odd part"])
    tiles.first.click()

    expect(station.page.get_by_text("Called: Safety, Press 1.")).to_be_visible()
    expect(station.page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(calls(station)).to_have_count(2)
    [(method, path, body, _)] = known.written
    assert (method, path.startswith("/calls/"), body) == ("PUT", True, {"equipmentId": STATION, "category": "safety"})

    taken = call | {"status": "taken", "version": 2, "taker": factory.SUBJECT_OF_LUIS}
    known.items[STATION] |= {"calls": [taken, *factory.calls()[STATION]]}
    station.eventually(lambda: "Somebody is coming" in (calls(station).first.text_content() or ""))
    expect(calls(station)).to_have_count(2)
    known.items[STATION] |= {"calls": []}
    station.eventually(lambda: calls(station).count() == 0)
    expect(station.page.get_by_text("Nothing is called for.")).to_be_visible()


def test_what_is_not_read_any_more_does_not_pass_for_what_is(station: Screen, known: FakeApi) -> None:
    expect(station.page.locator(".standing")).to_contain_text("NORMAL")
    expect(station.page.get_by_role("alert").filter(has_text="This is how it stood")).to_have_count(0)

    known.is_reachable = False
    station.eventually(lambda: station.page.get_by_text("This is how it stood at").is_visible())
    assert violations(station.page) == []

    known.is_reachable = True
    station.eventually(lambda: station.page.get_by_text("This is how it stood at").is_hidden())


def test_a_station_of_no_machine_is_told_how_it_signs_in(opened: Opened) -> None:
    page = opened(role="station", name="tablet-4", size=PHONE).page

    expect(page.get_by_text("Nothing is known of tablet-4.")).to_be_visible()
    expect(page.get_by_role("button", name="Call for help")).to_be_hidden()


def test_a_call_that_is_open_already_is_said(station: Screen, known: FakeApi) -> None:
    known.rules["PUT", ""] = lambda _body: refused(409, "Such a call is open.")
    station.page.get_by_role("button", name="Call for help").click()
    station.page.get_by_role("dialog").locator(".call-tile").first.click()

    expect(station.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Such a call is open.")


def test_whoever_reads_more_is_no_station() -> None:
    assert f"const READERS = {json.dumps(sorted(READERS))};\n" in (PAGE / "roles.js").read_text()

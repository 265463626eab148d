"""What was it? Machines that run again, and a person says why they stood."""

from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from demo.board import factory
from demo.board.fake_api import FakeAnswer, FakeApi, refused
from demo.board.pictures import PHONE
from tests.pages.board.conftest import Opened
from tests.support.axe import violations
from tests.support.pages import Screen

STARTED: Final = factory.minutes_ago(150)
EPISODE: Final = {"startedAt": STARTED, "endedAt": factory.minutes_ago(110), "story": []}
CAUSE: Final = f"/equipment/press-1/episodes/{STARTED}/cause"
ASK: Final = "Press 1: what was it?"


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Press 1 stood for 40 minutes, and nobody has said why."""
    known.items["press-1"]["stateSince"] = factory.minutes_ago(120)
    known.bodies["/equipment/press-1/episodes"] = {"items": [EPISODE]}
    known.rules["PUT", "/cause"] = lambda _body: FakeAnswer(201, {}, etag="1")
    return known


def asked(screen: Screen) -> Locator:
    return screen.page.get_by_role("button", name=ASK)


def explained(screen: Screen) -> None:
    asked(screen).click()
    dialog = screen.page.get_by_role("dialog")
    expect(dialog.get_by_role("radio")).to_have_count(2)  # those of other lines are not offered
    dialog.get_by_label("Out of coils").check()
    dialog.get_by_role("button", name="That was it").click()
    expect(dialog).to_be_hidden()


def test_the_cause_of_trouble_that_is_over_is_asked_and_recorded_where_it_began(opened: Opened, known: FakeApi) -> None:
    screen = opened(size=PHONE, role="operator")
    expect(screen.page.get_by_role("heading", name="To explain")).to_be_visible()
    expect(asked(screen)).to_contain_text("40 min")
    box = asked(screen).bounding_box()
    assert box is not None
    assert box["height"] >= 56

    explained(screen)

    expect(screen.page.get_by_text("Recorded what it was: Press 1.")).to_be_visible()
    expect(asked(screen)).to_have_count(0)
    assert known.written == [("PUT", CAUSE, {"cause": "out-of-coils"}, None)]


def test_on_the_page_of_a_machine_it_is_asked_too_and_the_last_cause_is_said(opened: Opened, known: FakeApi) -> None:
    screen = opened("#/equipment/press-1")
    expect(asked(screen)).to_be_visible()
    asked(screen).click()
    expect(screen.page.get_by_role("dialog").get_by_role("radio").first).to_be_visible()
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")

    known.put(
        known.items["press-1"] | {"version": 2, "lastCause": {"startedAt": STARTED, "cause": "out-of-coils"}},
    )

    expect(asked(screen)).to_have_count(0)
    expect(screen.page.get_by_text("Out of coils, of the trouble since")).to_be_visible()


def test_who_was_faster_has_said_it(opened: Opened, known: FakeApi) -> None:
    known.rules["PUT", "/cause"] = lambda _body: refused(428, "It exists.")
    screen = opened()

    explained(screen)

    expect(screen.page.get_by_text("Somebody has said already what it was: Press 1.")).to_be_visible()
    expect(asked(screen)).to_have_count(0)


def test_trouble_that_the_story_does_not_know_the_end_of_is_asked_for_again(opened: Opened, known: FakeApi) -> None:
    known.bodies["/equipment/press-1/episodes"] = {"items": [EPISODE | {"endedAt": None}]}
    screen = opened()
    screen.eventually(lambda: "GET /equipment/press-1/episodes" in known.asked)
    assert asked(screen).count() == 0

    known.bodies["/equipment/press-1/episodes"] = {"items": [EPISODE]}

    screen.eventually(lambda: asked(screen).count() == 1)
    assert known.asked.count("GET /equipment/press-1/episodes") == 2


@pytest.mark.parametrize(("role", "reads_only"), [("auditor", False), ("operator", True)])
def test_who_may_not_say_it_is_not_asked(opened: Opened, known: FakeApi, role: str, *, reads_only: bool) -> None:
    screen = opened(role=role, reads_only=reads_only)
    screen.until_live()

    assert asked(screen).count() == 0
    assert "GET /equipment/press-1/episodes" not in known.asked


def test_where_there_are_no_causes_nobody_is_asked(opened: Opened, known: FakeApi) -> None:
    del known.bodies[f"/factories/{factory.FACTORY}/catalog"]
    screen = opened()
    screen.until_live()

    assert asked(screen).count() == 0
    assert "GET /equipment/press-1/episodes" not in known.asked

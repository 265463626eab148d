"""The link of a message: two presses of a person, a second apart, say that they have seen it; nothing else does."""

from typing import Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Request, ViewportSize, expect

from andon.outbound.links import Link, sign
from andon.runtime import times
from contract import links
from contract.log_rows import log_of
from demo.board.fake_api import ORIGIN, FakeAnswer, FakeApi, refused
from demo.board.pictures import PHONE, WALL
from tests.pages.board.conftest import Opened
from tests.support.axe import violations
from tests.support.pages import Screen

KEY: Final = b"k" * 32
AT: Final = "2026-11-21T17:48:00.000Z"
LOGS: Final = [log_of("press-1", "ERROR", AT), log_of("d#12 3/ü", "WARNING1", AT)]
TOKEN: Final = sign(
    Link("op-17", tuple(map(links.reference_of, LOGS)), times.to_ms(AT) // 1000 + 4 * 3600),
    purpose=links.PURPOSE,
    key=KEY,
)
PLACE: Final = f"#a={TOKEN}"
SEEN: Final = "POST", "/links/seen"
ALL_BUTTONS: Final = "() => document.querySelectorAll('button').forEach((one) => one.click())"


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Op-18 was faster at the second machine."""
    items = [
        {**log, "acknowledgedBy": by, "acknowledgedAt": AT} for log, by in zip(LOGS, ("op-17", "op-18"), strict=True)
    ]
    known.rules[SEEN] = lambda _body: FakeAnswer(200, {"person": "op-17", "items": items})
    return known


@pytest.fixture
def screen(opened: Opened) -> Screen:
    """A phone on which nobody has signed in, in a time that a test lets pass."""
    screen = opened(PLACE, role=None, size=PHONE)
    expect(button(screen, "I'm on it")).to_be_visible()
    screen.pause()
    return screen


def button(screen: Screen, name: str) -> Locator:
    return screen.page.get_by_role("button", name=name, exact=True)


def test_two_presses_a_second_apart_say_that_it_was_seen(screen: Screen, known: FakeApi) -> None:
    button(screen, "I'm on it").click()
    screen.let_pass(1000)
    button(screen, "Yes, I go there now").click()

    expect(screen.page.get_by_text("Noted: you are on it.")).to_be_visible()
    expect(screen.page.get_by_role("listitem").first).to_contain_text("seen by you")
    expect(screen.page.get_by_role("listitem").last).to_contain_text("seen first by op-18")
    assert known.written == [(*SEEN, {"token": TOKEN}, None)]


def test_it_shows_what_was_signed_and_asks_the_api_for_nothing(screen: Screen, known: FakeApi) -> None:
    for log in LOGS:
        expect(screen.page.get_by_text(f"{log['equipmentId']}: {log['state']}")).to_be_visible()
    expect(screen.page.get_by_text("Sent to op-17.")).to_be_visible()
    screen.let_pass(5000)

    assert (known.written, known.asked) == ([], [])


def test_a_script_that_presses_everything_says_nothing(screen: Screen, known: FakeApi) -> None:
    for _ in range(5):
        screen.page.evaluate(ALL_BUTTONS)
        screen.let_pass(1500)
    button(screen, "I'm on it").click()
    screen.let_pass(1500)
    screen.page.evaluate(ALL_BUTTONS)

    assert known.written == []
    button(screen, "I'm on it").click()  # what a script had sent would have come before what a person sends
    screen.let_pass(1000)
    button(screen, "Yes, I go there now").click()
    expect(screen.page.get_by_text("Noted: you are on it.")).to_be_visible()
    assert len(known.written) == 1


def test_a_press_of_a_script_is_not_the_first_of_two(screen: Screen) -> None:
    button(screen, "I'm on it").evaluate("(one) => one.click()")

    expect(button(screen, "I'm on it")).to_be_visible()
    expect(button(screen, "Yes, I go there now")).to_be_hidden()


def test_two_presses_at_once_say_nothing_and_a_key_that_is_held_neither(screen: Screen, known: FakeApi) -> None:
    button(screen, "I'm on it").click()
    button(screen, "Yes, I go there now").click()
    screen.let_pass(500)
    button(screen, "Yes, I go there now").click()
    assert known.written == []
    button(screen, "No").click()
    button(screen, "I'm on it").focus()
    for _ in range(6):
        screen.page.keyboard.press("Enter")
        screen.let_pass(500)

    assert known.written == []


def test_who_says_no_says_nothing_and_may_say_yes_later(screen: Screen, known: FakeApi) -> None:
    button(screen, "I'm on it").click()
    screen.let_pass(1500)
    button(screen, "No").click()
    expect(button(screen, "Yes, I go there now")).to_be_hidden()
    assert known.written == []
    button(screen, "I'm on it").click()
    button(screen, "Yes, I go there now").click()
    assert known.written == [], "the second counts from the press that came last"


def test_a_link_that_does_not_count_says_so(screen: Screen, known: FakeApi) -> None:
    known.rules[SEEN] = lambda _body: refused(410, "Gone.")
    button(screen, "I'm on it").click()
    screen.let_pass(1000)
    button(screen, "Yes, I go there now").click()

    expect(screen.page.get_by_role("alert").filter(has_text="This link does not count any more")).to_be_visible()
    screen.troubles[:] = [trouble for trouble in screen.troubles if "status of 410" not in trouble]


def test_without_an_answer_it_is_pressed_again(screen: Screen, known: FakeApi) -> None:
    known.is_reachable = False
    button(screen, "I'm on it").click()
    screen.let_pass(1000)
    button(screen, "Yes, I go there now").click()
    expect(screen.page.get_by_role("alert").filter(has_text="No connection")).to_be_visible()
    known.is_reachable = True
    button(screen, "Yes, I go there now").click()

    expect(screen.page.get_by_text("Noted: you are on it.")).to_be_visible()


@pytest.mark.parametrize("place", ["#a=x", "#a=AAAA", f"#a={TOKEN[:30]}"])
def test_what_is_no_link_asks_nobody(opened: Opened, known: FakeApi, place: str) -> None:
    screen = opened(place, role=None, size=PHONE)

    expect(screen.page.get_by_role("alert").filter(has_text="This link does not count any more")).to_be_visible()
    assert known.asked == []


def test_no_request_has_the_token_in_its_address_or_its_referrer(opened: Opened) -> None:
    screen = opened("#/", role=None, size=PHONE)
    sent: list[Request] = []

    def keep(request: Request) -> None:
        sent.append(request)

    screen.page.on("request", keep)
    screen.page.goto(f"{ORIGIN}/?again{PLACE}")
    expect(button(screen, "I'm on it")).to_be_visible()
    screen.pause()
    button(screen, "I'm on it").click()
    screen.let_pass(1000)
    button(screen, "Yes, I go there now").click()
    expect(screen.page.get_by_text("Noted: you are on it.")).to_be_visible()

    assert len(sent) > 10
    for request in sent:
        address = urlsplit(request.url)
        assert TOKEN not in f"{address.path} {address.query} {request.headers.get('referer', '')}"


@pytest.mark.parametrize("size", [WALL, PHONE], ids=["wall", "phone"])
def test_each_step_fits_the_screen_has_large_buttons_and_no_violation(opened: Opened, size: ViewportSize) -> None:
    screen = opened(PLACE, role=None, size=size)
    for name in ("I'm on it", "Yes, I go there now"):
        expect(button(screen, name)).to_be_visible()
        boxes = [one.bounding_box() for one in screen.page.get_by_role("button").all() if one.is_visible()]
        assert min(box["height"] for box in boxes if box) >= 56
        assert not screen.scrolls_sideways()
        assert violations(screen.page) == []
        screen.let_pass(1500)
        button(screen, name).click()
    expect(screen.page.get_by_text("Noted: you are on it.")).to_be_visible()
    assert violations(screen.page) == []

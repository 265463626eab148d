"""The page "Me": addresses, the codes that check them, test messages, the order of channels, quiet hours."""

import json
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.board import factory
from demo.board.fake_api import PAGE, FakeAnswer, FakeApi, contact_path, refused
from demo.board.pictures import PHONE
from services.notify.reach import ORDER
from tests.pages.board.conftest import Opened
from tests.support.axe import violations

ME: Final = "#/me"
PATH: Final = contact_path("supervisor")
TOUCHED_PX: Final = 56
HEIGHTS: Final = """() => [...document.querySelectorAll("main :is(button, input, select)")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height)"""
WRITTEN: Final = {name: factory.CONTACT[name] for name in ("email", "phone", "language", "order")}


@pytest.fixture
def known(known: FakeApi) -> FakeApi:
    """Mail was checked, the number was not."""
    known.bodies[PATH] = factory.CONTACT
    return known


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def test_a_phone_shows_where_one_is_told_and_where_not(opened: Opened) -> None:
    screen = opened(ME, size=PHONE)
    page = screen.page

    expect(card(page, "Mail")).to_contain_text("You are told here")
    expect(card(page, "SMS")).to_contain_text("Not checked yet: nothing is sent here")
    expect(card(page, "Chat or pager")).to_contain_text("Not used")
    expect(card(page, "This device")).to_contain_text("Messages to browsers are not set up here.")
    assert page.get_by_label("Address", exact=True).input_value() == "rosa@example.com"
    assert min(page.evaluate(HEIGHTS)) >= TOUCHED_PX
    assert not screen.scrolls_sideways()
    assert violations(page) == []


def test_an_address_is_checked_by_the_code_that_came_there(opened: Opened, known: FakeApi) -> None:
    known.rules["POST", "/code"] = lambda _body: FakeAnswer(202)
    page = opened(ME, size=PHONE).page
    sms = card(page, "SMS")
    sms.get_by_role("button", name="Send me a code").click()
    sms.get_by_label("The code of six digits").fill("123456")
    known.rules["PUT", "/verified"] = lambda _body: refused(410, "There is no code that counts. Ask for a new one.")
    sms.get_by_role("button", name="Confirm").click()
    expect(sms.get_by_role("alert")).to_have_text("There is no code that counts. Ask for a new one.")
    assert violations(page) == []

    both = {"verifiedAt": {"mail": factory.NOW.isoformat(), "sms": factory.NOW.isoformat()}}
    known.rules["PUT", "/verified"] = lambda _body: FakeAnswer(204)
    known.bodies[PATH] = factory.CONTACT | both
    sms.get_by_role("button", name="Confirm").click()

    expect(sms).to_contain_text("You are told here")
    expect(sms.get_by_label("The code of six digits")).to_be_hidden()
    code = ("PUT", f"{PATH}/sms/verified", {"code": "123456"}, None)
    assert known.written == [("POST", f"{PATH}/sms/code", None, None), code, code]


def test_another_address_is_written_with_all_that_was_there_and_what_is_typed_elsewhere_stays(
    opened: Opened, known: FakeApi
) -> None:
    page = opened(ME, size=PHONE).page
    mail = card(page, "Mail")
    expect(mail.get_by_label("Address")).to_have_value("rosa@example.com")
    page.get_by_label("Number").fill("+52 133 0000 0000")
    mail.get_by_label("Address").fill("rosa@plant.example")
    mail.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()

    expect(page.get_by_label("Number")).to_have_value("+52 133 0000 0000")
    [(method, path, body, etag)] = known.written
    assert (method, path, body) == ("PUT", PATH, WRITTEN | {"email": "rosa@plant.example"})
    assert etag is not None, "the version that was seen"


def test_an_empty_address_is_no_address(opened: Opened, known: FakeApi) -> None:
    page = opened(ME, size=PHONE).page
    sms = card(page, "SMS")
    expect(sms.get_by_label("Number")).to_have_value("+5213312345678")
    sms.get_by_label("Number").fill("")
    sms.get_by_role("button", name="Save").click()

    expect(sms).to_contain_text("Not used")
    assert [body for _, _, body, _ in known.written] == [
        {name: value for name, value in WRITTEN.items() if name != "phone"}
    ]


def test_whoever_has_no_contact_yet_writes_the_first_one_in_the_language_of_the_page(
    opened: Opened, known: FakeApi
) -> None:
    del known.bodies[PATH]
    page = opened(ME, size=PHONE).page
    chat = card(page, "Chat or pager")
    expect(chat).to_contain_text("Not used")
    chat.get_by_label("Address of the webhook").fill("https://chat.example/hook")
    chat.get_by_role("button", name="Save").click()

    expect(chat).to_contain_text("Not checked yet")
    assert known.written == [("PUT", PATH, {"language": "en", "webhooks": ["https://chat.example/hook"]}, None)]


def test_what_the_api_says_against_an_address_stands_beside_it(opened: Opened, known: FakeApi) -> None:
    answers = iter([refused(412, "It has been changed since."), refused(503, "Try again.")])
    known.rules["PUT", "/contact"] = lambda _body: next(answers)
    screen = opened(ME, size=PHONE)
    mail = card(screen.page, "Mail")
    expect(mail.get_by_label("Address")).to_have_value("rosa@example.com")
    mail.get_by_role("button", name="Save").click()
    expect(screen.page.get_by_text("You changed this elsewhere meanwhile. Press again.")).to_be_visible()

    mail.get_by_role("button", name="Save").click()

    expect(mail.get_by_role("alert")).to_contain_text("Try again.")
    screen.troubles[:] = [trouble for trouble in screen.troubles if "status of 503" not in trouble]


def test_a_test_message_is_sent_where_one_is_told(opened: Opened, known: FakeApi) -> None:
    known.rules["POST", "/test"] = lambda _body: FakeAnswer(202)
    page = opened(ME, size=PHONE).page
    card(page, "Mail").get_by_role("button", name="Send a test message").click()

    expect(page.get_by_text("A test message is on its way.")).to_be_visible()
    expect(card(page, "SMS").get_by_role("button", name="Send a test message")).to_be_hidden()
    assert known.written == [("POST", f"{PATH}/mail/test", None, None)]


def test_the_order_of_channels_is_changed_by_a_press_upon_the_version_that_was_seen(
    opened: Opened, known: FakeApi
) -> None:
    screen = opened(ME, size=PHONE)
    page = screen.page
    order = card(page, "Order")
    expect(order.get_by_role("listitem")).to_contain_text(["SMS", "Mail", "DevicesLeft out", "Chat or pagerLeft out"])
    order.get_by_role("button", name="Mail: earlier").click()
    expect(order.get_by_role("listitem")).to_contain_text(["Mail", "SMS", "Devices", "Chat or pager"])
    expect(order.get_by_role("button", name="SMS: earlier")).to_be_focused()
    order.get_by_role("button", name="Chat or pager: use it").click()
    expect(order.get_by_role("listitem")).to_contain_text(["Mail", "SMS", "Chat or pager", "DevicesLeft out"])
    expect(order.get_by_role("button", name="Chat or pager: earlier")).to_be_focused()

    written = [(path, body, etag) for _, path, body, etag in known.written]
    orders = [["mail", "sms"], ["mail", "sms", "webhook"]]
    assert [(path, body) for path, body, _ in written] == [(PATH, WRITTEN | {"order": one}) for one in orders]
    first, second = (etag for _, _, etag in written)
    assert None not in {first, second}
    assert first != second
    assert not screen.scrolls_sideways()
    assert violations(page) == []


def test_quiet_hours_are_written_shown_and_removed(opened: Opened, known: FakeApi) -> None:
    screen = opened(ME, size=PHONE)
    page = screen.page
    quiet = card(page, "Quiet hours")
    expect(quiet.get_by_text("There are none.")).to_be_visible()
    expect(quiet.get_by_role("button", name="No quiet hours")).to_be_hidden()
    quiet.get_by_label("From").fill("21:30")
    quiet.get_by_label("By the clock of").select_option("America/Mexico_City")
    quiet.get_by_role("button", name="Save").click()
    expect(quiet.get_by_text("There are none.")).to_be_hidden()
    assert min(page.evaluate(HEIGHTS)) >= TOUCHED_PX
    assert not screen.scrolls_sideways()
    assert violations(page) == []

    quiet.get_by_role("button", name="No quiet hours").click()
    expect(quiet.get_by_text("There are none.")).to_be_visible()

    hours = {"from": "21:30", "to": "06:00", "timezone": "America/Mexico_City"}
    assert [body for _, _, body, _ in known.written] == [WRITTEN | {"quietHours": hours}, WRITTEN]


def test_quiet_hours_that_begin_as_they_end_are_not_sent(opened: Opened, known: FakeApi) -> None:
    quiet = card(opened(ME, size=PHONE).page, "Quiet hours")
    quiet.get_by_label("From").fill("06:00")
    quiet.get_by_role("button", name="Save").click()

    message = quiet.get_by_label("To", exact=True).evaluate("(input) => input.validationMessage")
    assert message == "Both times are the same."
    assert known.written == []


def test_an_order_that_was_changed_elsewhere_is_shown_and_not_overwritten(opened: Opened, known: FakeApi) -> None:
    order = card((screen := opened(ME, size=PHONE)).page, "Order")
    expect(order.get_by_role("listitem").first).to_contain_text("SMS")
    known.rules["PUT", "/contact"] = lambda _body: refused(412, "It has been changed since.")
    known.bodies[PATH] = factory.CONTACT | {"order": ["webhook", "sms", "mail"]}
    order.get_by_role("button", name="Mail: earlier").click()

    expect(screen.page.get_by_text("You changed this elsewhere meanwhile. Press again.")).to_be_visible()
    expect(order.get_by_role("listitem").first).to_contain_text("Chat or pager")


def test_the_order_that_nobody_chose_is_that_of_the_sender() -> None:
    assert f"export const ORDER = {json.dumps(ORDER)};\n" in (PAGE / "contact.js").read_text()


def test_a_badge_that_one_signs_in_by_is_whom_rosters_name_and_a_wall_is_nobody(opened: Opened, known: FakeApi) -> None:
    opened(ME, role="op-31")
    page = opened(reads_only=True).page

    expect(page.get_by_role("link", name="Duty")).to_be_visible()
    expect(page.locator("a[href='#/me']")).to_have_count(0)
    assert "GET /people/op-31/contact" in known.asked

"""Actions on the page: each request as the API wants it, each refusal said, nothing typed lost."""

import pytest
from playwright.sync_api import Locator, expect

from demo.board import factory
from demo.board.fake_api import FakeAnswer, FakeApi, refused
from demo.people import EVA, LIZ, OMAR, ROSA
from tests.pages.board.conftest import Opened
from tests.support.pages import Screen

LOG = f"/equipment/conveyor-b/logs/ERROR/{factory.minutes_ago(24)}"
ASSIGNMENT, ESCALATION, SEEN = f"{LOG}/assignment", f"{LOG}/escalation", f"{LOG}/acknowledgement"


def card(screen: Screen) -> Locator:
    return screen.page.locator(".card", has_text="Conveyor B")


def deed(screen: Screen, name: str) -> Locator:
    """Open a dialog from the card."""
    card(screen).get_by_role("button", name=name).click()
    return screen.page.get_by_role("dialog")


def test_to_have_seen_it_is_shown_at_once_and_sent(opened: Opened, known: FakeApi) -> None:
    screen = opened()

    deed(screen, "Seen").get_by_role("button", name="I have seen it").click()

    expect(screen.page.get_by_role("status").get_by_text("Recorded: you have seen Conveyor B.")).to_be_visible()
    expect(card(screen)).to_contain_text("seen by supervisor")
    expect(card(screen).get_by_role("button", name="Seen")).to_be_disabled()
    assert known.written == [("PUT", SEEN, None, None)]


def test_whoever_is_second_to_see_it_hears_who_was_first(opened: Opened, known: FakeApi) -> None:
    first = {"acknowledgedBy": factory.SUBJECT_OF_LUIS}
    known.rules["PUT", SEEN] = lambda _body: FakeAnswer(200, first)
    screen = opened()

    deed(screen, "Seen").get_by_role("button", name="I have seen it").click()

    expect(screen.page.get_by_text("Luis had seen it before you.")).to_be_visible()


def test_what_is_refused_is_taken_back(opened: Opened, known: FakeApi) -> None:
    known.rules["PUT", SEEN] = lambda _body: refused(400, "The log is too old.")
    screen = opened()
    dialog = deed(screen, "Seen")

    dialog.get_by_role("button", name="I have seen it").click()

    expect(dialog.get_by_role("alert")).to_contain_text("The log is too old.")
    expect(card(screen)).to_contain_text("not seen")


def test_assigning_over_a_person_names_the_version_that_was_seen(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    dialog = deed(screen, "Assign")
    expect(dialog).to_contain_text("Now assigned to Luis.")

    dialog.get_by_role("button", name="Eva").click()
    dialog.get_by_role("button", name="Assign instead of Luis").click()

    expect(screen.page.get_by_text("Conveyor B is assigned to Eva.")).to_be_visible()
    expect(dialog).to_be_hidden()
    expect(card(screen)).to_contain_text("assigned to Eva")
    assert known.written == [("PUT", ASSIGNMENT, {"operator": EVA}, '"1"')]


def test_somebody_who_was_faster_is_named_and_nothing_typed_is_lost(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    dialog = deed(screen, "Assign")
    expect(dialog).to_contain_text("Now assigned to Luis.")
    dialog.get_by_label("Operator").fill(LIZ)
    known.people[ASSIGNMENT] = ({"operator": OMAR}, 2)

    dialog.get_by_role("button", name="Assign instead of Luis").click()

    expect(dialog.get_by_role("alert")).to_contain_text("Somebody was faster: it is assigned to Omar now.")
    expect(dialog.get_by_label("Operator")).to_have_value(LIZ)
    expect(card(screen)).to_contain_text("assigned to Luis")
    dialog.get_by_role("button", name="Assign instead of Omar").click()
    expect(screen.page.get_by_text("Conveyor B is assigned to Liz.")).to_be_visible()
    assert [(body, etag) for _, _, body, etag in known.written] == [
        ({"operator": LIZ}, '"1"'),
        ({"operator": LIZ}, '"2"'),
    ]


def test_somebody_who_was_first_where_nobody_was_is_named_too(opened: Opened, known: FakeApi) -> None:
    del known.people[ASSIGNMENT]
    screen = opened()
    dialog = deed(screen, "Assign")
    dialog.get_by_label("Operator").fill(LIZ)
    expect(dialog).to_contain_text("Now assigned to Luis.")
    known.people[ASSIGNMENT] = ({"operator": OMAR}, 1)

    dialog.get_by_role("button", name="Assign instead of Luis").click()

    expect(dialog.get_by_role("alert")).to_contain_text("assigned to Omar now")
    expect(dialog.get_by_label("Operator")).to_have_value(LIZ)


def test_escalating_offers_the_supervisor(opened: Opened, known: FakeApi) -> None:
    known.items["conveyor-b"].pop("escalatedTo")
    screen = opened()
    dialog = deed(screen, "Escalate")
    expect(dialog).to_contain_text("Escalated to nobody yet.")

    dialog.get_by_role("button", name="Rosa").click()
    dialog.get_by_role("button", name="Escalate", exact=True).click()

    expect(screen.page.get_by_text("Conveyor B is escalated to Rosa.")).to_be_visible()
    assert known.written == [("PUT", ESCALATION, {"supervisor": ROSA}, None)]


@pytest.mark.parametrize("status", [403, 500])
def test_other_refusals_are_said_and_nothing_typed_is_lost(opened: Opened, known: FakeApi, status: int) -> None:
    known.rules["PUT", ASSIGNMENT] = lambda _body: refused(status, "Something failed on our side.")
    screen = opened()
    dialog = deed(screen, "Assign")
    dialog.get_by_label("Operator").fill(LIZ)

    dialog.get_by_role("button", name="Assign").last.click()

    not_allowed = "This is for another role, or for another place than yours."
    text = not_allowed if status == 403 else "The server failed. Try again in a moment."
    expect(dialog.get_by_role("alert")).to_contain_text(text)
    expect(dialog.get_by_role("alert").get_by_role("group")).to_contain_text("Something failed on our side.")
    expect(dialog.get_by_label("Operator")).to_have_value(LIZ)
    screen.troubles[:] = [trouble for trouble in screen.troubles if "status of 500" not in trouble]


def test_a_message_about_the_machine_does_not_disturb_who_types(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    dialog = deed(screen, "Assign")
    dialog.get_by_label("Operator").press_sequentially("op-1")

    known.put({**known.items["conveyor-b"], "stateTimestamp": factory.minutes_ago(1), "version": 2})
    known.put({**known.items["oven-1"], "state": "ERROR", "version": 2})
    screen.eventually(screen.is_right)
    screen.page.keyboard.type("7")

    expect(dialog.get_by_label("Operator")).to_have_value(LIZ)
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_text("Conveyor B is assigned to Liz.")).to_be_visible()
    assert known.written[-1][1] == ASSIGNMENT, "the log that was looked at, not a newer one"


def test_escape_closes_a_dialog_and_gives_the_focus_back(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    button = card(screen).get_by_role("button", name="Assign")
    button.focus()
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("dialog")).to_be_visible()

    screen.page.keyboard.press("Escape")

    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()
    assert known.written == []


def test_nobody_acts_from_a_wall(opened: Opened) -> None:
    screen = opened(role="supervisor", reads_only=True)
    expect(card(screen)).to_be_visible()

    assert card(screen).get_by_role("button").count() == 0


@pytest.mark.parametrize(("role", "may"), [("operator", True), ("admin", True), ("auditor", False), ("analyst", False)])
def test_only_those_who_may_act_are_offered_to(opened: Opened, role: str, *, may: bool) -> None:
    screen = opened(role=role)
    expect(card(screen)).to_be_visible()

    assert (card(screen).get_by_role("button").count() == 3) is may

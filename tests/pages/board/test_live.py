"""Whatever happens to messages and connections, the page equals `GET /board`, and says how it is connected."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from demo.board import factory
from demo.board.fake_api import FakeApi, refused
from tests.pages.board.conftest import Opened

MACHINES = [row["equipmentId"] for row in factory.machines()]
STATES = ("NORMAL", "WARNING1", "ERROR")
REPORTS = 60


def report(known: FakeApi, dice: random.Random, version: int) -> None:
    """Change a machine, as a report would."""
    row = known.items[dice.choice([one for one in MACHINES if one in known.items])]
    state = dice.choice(STATES)
    known.put({**row, "state": state, "stateTimestamp": factory.minutes_ago(0), "version": version})


def reads(known: FakeApi) -> int:
    """Return how often the board was read."""
    return known.asked.count("GET /board/Acme")


def test_a_report_is_on_the_screen_with_its_message_and_without_a_read(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    before = reads(known)
    screen.eventually(lambda: reads(known) > before)  # so that the next one is seconds away
    screen.pause()
    before = reads(known)

    known.put({**known.items["press-1"], "state": "ERROR", "version": 2})

    screen.eventually(screen.page.locator(".card", has_text="Press 1").is_visible, within_ms=3000)
    assert reads(known) == before


@pytest.mark.parametrize("seed", range(1))
def test_doubled_and_shuffled_messages_show_what_the_api_answers(opened: Opened, known: FakeApi, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    screen = opened()
    screen.until_live()
    known.broker.delivery = "held"

    for number in range(REPORTS):
        report(known, dice, 2 + number)
    known.broker.release(dice.sample(known.broker.held * 2, len(known.broker.held) * 2))

    assert screen.eventually(screen.is_right) < 5000


def test_without_any_message_the_page_is_right_all_the_same(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    known.broker.delivery = "never"

    report(known, random.Random(1), 2)  # noqa: S311

    assert screen.eventually(screen.is_right) <= 15_000


def test_who_may_read_a_factory_but_gets_no_messages_of_the_company_reads_every_10_s_and_is_told_so(
    opened: Opened, known: FakeApi
) -> None:
    known.rules["GET", "/changes"] = lambda _: refused(403, "This is at none of your places.")
    screen = opened()

    expect(screen.page.locator(".connection")).to_have_attribute("data-connection", "polling")
    report(known, random.Random(1), 2)  # noqa: S311

    assert screen.eventually(screen.is_right) <= 15_000
    assert known.asked.count("GET /board/Acme/changes") == 1


def test_a_page_that_misses_messages_does_not_call_itself_live(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    screen.let_pass(10_000)
    known.broker.delivery = "never"

    report(known, random.Random(1), 2)  # noqa: S311
    screen.eventually(lambda: screen.connection() == "polling", within_ms=60_000)
    known.broker.delivery = "now"
    report(known, random.Random(2), 3)  # noqa: S311

    screen.eventually(lambda: screen.connection() == "live")


AWAKE_WHILE_CONNECTING = """() => {
  const { fetch } = globalThis;
  globalThis.fetch = (url, ...more) => {
    if (String(url).endsWith("/changes")) setTimeout(() => dispatchEvent(new Event("online")));
    return fetch(url, ...more);
  };
}"""


def test_a_screen_that_wakes_up_while_it_connects_connects_once(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    screen.page.evaluate(AWAKE_WHILE_CONNECTING)

    known.broker.kill()
    screen.eventually(lambda: screen.connection() != "live")
    screen.until_live()

    assert known.asked.count("GET /board/Acme/changes") == 2


def test_a_killed_connection_is_admitted_at_once_and_mended(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()

    known.broker.kill()

    expect(screen.page.get_by_text("reconnecting")).to_be_visible()
    report(known, random.Random(1), 2)  # noqa: S311
    screen.eventually(lambda: screen.connection() == "live" and screen.is_right(), within_ms=5000)


def test_a_connection_that_is_dead_without_being_closed_is_noticed(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()

    known.broker.answers_pings = False
    known.broker.refuses = True

    screen.eventually(lambda: screen.connection() == "reconnecting", within_ms=16_000)
    known.broker.answers_pings, known.broker.refuses = True, False
    screen.eventually(lambda: screen.connection() == "live", within_ms=31_000)


def test_without_a_network_the_page_says_how_old_the_picture_is(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()

    known.is_reachable = False
    known.broker.refuses = True
    known.broker.kill()

    screen.eventually(lambda: screen.connection() == "lost", within_ms=60_000)
    expect(screen.page.get_by_role("alert")).to_contain_text("No connection. What you see is as of 18:34")
    known.is_reachable, known.broker.refuses = True, False
    report(known, random.Random(1), 2)  # noqa: S311
    screen.eventually(lambda: screen.connection() == "live" and screen.is_right(), within_ms=60_000)
    expect(screen.page.get_by_role("alert")).to_be_hidden()


def moved_within(known: FakeApi) -> None:
    known.items["press-1"] = {**known.items["press-1"], "lineId": "Line 2 · Machining", "version": 5}


def moved_away(known: FakeApi) -> None:
    del known.items["press-1"]


def deleted_and_brought_back(known: FakeApi) -> None:
    known.items["press-1"] = {**known.items["press-1"], "name": "Press 1b", "version": 7}


def new(known: FakeApi) -> None:
    known.items["press-9"] = {**factory.machine("Press 9", "Line 1 · Pressing"), "version": 3}


@pytest.mark.parametrize("change", [moved_within, moved_away, deleted_and_brought_back, new])
def test_what_happens_while_the_page_is_cut_off_is_right_afterwards(
    opened: Opened, known: FakeApi, change: Callable[[FakeApi], None]
) -> None:
    screen = opened()
    screen.until_live()
    known.broker.refuses = True
    known.broker.kill()

    change(known)
    known.broker.refuses = False

    screen.eventually(lambda: screen.connection() == "live" and screen.is_right(), within_ms=12_000)


def test_messages_that_are_no_rows_do_no_harm(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()

    odd: tuple[object, ...] = ({}, {"equipmentId": 7, "version": 1}, {"equipmentId": "press-1", "version": "9"}, [], 7)
    for message in odd:
        known.broker.publish(message)
    known.put({**known.items["press-1"], "state": "ERROR", "version": 2})

    assert screen.eventually(screen.is_right) < 5000


@pytest.mark.parametrize(
    "message",
    [
        {"equipmentId": "press-1", "version": 9},
        {"equipmentId": "press-1", "version": 9e15, "gone": True},
        {**factory.machine("Press 1", "Line 1 · Pressing"), "version": 9, "stateSince": "soon"},
    ],
    ids=("without state", "ahead of all", "no time"),
)
def test_a_message_that_cannot_be_drawn_changes_nothing(opened: Opened, known: FakeApi, message: object) -> None:
    screen = opened()
    screen.until_live()

    known.broker.publish(message)
    known.put({**known.items["press-2"], "state": "ERROR", "version": 2})

    assert screen.eventually(screen.is_right) < 5000
    screen.let_pass(2000)
    assert screen.is_right()


def test_a_row_that_cannot_be_drawn_is_left_out_and_said(opened: Opened, known: FakeApi) -> None:
    del known.items["press-1"]["state"]

    screen = opened()

    screen.eventually(lambda: len(screen.tiles()) == len(known.items) - 1)
    expect(screen.page.get_by_role("alert")).to_contain_text("1 machine cannot be shown")


def test_a_view_that_cannot_be_drawn_is_not_called_live(opened: Opened, known: FakeApi) -> None:
    known.bodies["/equipment/press-1/episodes"] = {"items": [{}]}

    screen = opened("#/equipment/press-1")
    screen.eventually(lambda: screen.connection() == "stuck")

    expect(screen.page.get_by_role("alert")).to_contain_text("could not draw")
    assert screen.troubles
    screen.troubles.clear()


def test_a_row_that_was_repaired_from_a_clock_ahead_is_right_on_open_screens(opened: Opened, known: FakeApi) -> None:
    row = known.items["press-1"]
    known.items["press-1"] = {**row, "state": "ERROR", "version": 4_000_000_000_000}
    screen = opened()
    screen.until_live()

    known.put({**row, "version": 5})

    screen.eventually(screen.is_right, within_ms=20_000)


def test_a_wall_reloads_itself_once_a_day_while_it_is_live(opened: Opened, known: FakeApi) -> None:
    screen = opened(role="auditor", reads_only=True)
    screen.until_live()
    read = len(known.asked)

    with screen.page.expect_event("load"):
        screen.page.clock.fast_forward("24:00:00")

    screen.eventually(screen.is_right)
    assert "GET /board/Acme/changes" in known.asked[read:]


def test_a_quiet_board_is_asked_for_less_and_less_often(opened: Opened, known: FakeApi) -> None:
    screen = opened()
    screen.until_live()
    known.asked.clear()

    screen.let_pass(600_000, step_ms=4000)

    assert 4 <= known.asked.count("GET /board/Acme") <= 12
    assert screen.connection() == "live"
